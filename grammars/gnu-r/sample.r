# A sample.
f <- function(x, y = 2) {
  z <- x + y
  if (z > 1) z else 0
}
print(f(1))
l <- list(a = 1, b = "two")
