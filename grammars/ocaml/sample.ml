(* A sample. *)
open List
type t = A of int | B of { name : string }
let rec f x =
  match x with
  | 0 -> 1
  | n -> n * 2
module M = struct
  let y = f 3
end
let () = begin
  for i = 1 to 3 do print_int (f i) done;
  print_string "text"
end
