# A sample.
use strict;
my $a = 1;
sub f {
  my ($x, @y) = @_;
  return $x + $a;
}
if ($a > 0) {
  print f(2, 'text'), "\n";
}
