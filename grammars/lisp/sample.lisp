; A sample.
(define one 1)
(define (add a b) (+ a b))
(defun twice (x) (* 2 x))
(let ((y 2) (z "text")) (if (> y 1) (add y one) (twice 3)))
(display (quote (a b)))
