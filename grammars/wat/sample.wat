;; A sample.
(module
  (type $t (func (param i32) (result i32)))
  (func $f (param $x i32) (result i32) (local $y i32)
    (i32.add (local.get $x) (i32.const 1)))
  (global $g i32 (i32.const 7))
  (memory 1)
  (export "f" (func $f)))
