; What stands between brackets or block words in their place.
((group) @splice.outer @splice.inner)
((block . "begin") @splice.outer @splice.inner)
