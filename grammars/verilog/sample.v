// A sample.
`ifdef WIDE
`define W 8
`else
`define W 4
`endif
module adder #(parameter P = 2) (input clk, input [3:0] a, output reg [3:0] y);
  wire [3:0] t;
  assign t = a + 1;
  function [3:0] f;
    input [3:0] x;
    f = x;
  endfunction
  always @(posedge clk) begin
    if (a == 0) begin
      y <= t;
    end else
      y <= 2;
    case (a)
      0: y <= 1;
      default: begin y <= f(3); end
    endcase
  end
endmodule
