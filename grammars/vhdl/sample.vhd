-- A sample.
library ieee;
entity e is
  port (a : in bit; b : out bit);
end entity;
architecture r of e is
  signal s : bit;
begin
  s <= a;
  b <= s after 1 ns;
end architecture;
