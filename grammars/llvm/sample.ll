; A sample.
target triple = "x86_64-unknown-linux-gnu"

@text = private constant [3 x i8] c"ab\00"

declare i32 @puts(ptr)

define i32 @main(i32 %count) {
entry:
  %sum = add nsw i32 %count, 1
  %more = icmp sgt i32 %sum, 3
  br i1 %more, label %then, label %end

then:
  %called = call i32 @puts(ptr @text)
  br label %end

end:
  ret i32 %sum
}
