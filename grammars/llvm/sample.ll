; A sample.
source_filename = "sample.c"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i64 }
$group = comdat any

@text = private constant [3 x i8] c"ab\00", comdat($group)
@other = alias i32 (i32), i32 (i32)* @count

declare i32 @puts(i8*)

define i32 @count(i32 %n) #0 {
entry:
  %sum = add nsw i32 %n, 1
  %wide = zext i32 %sum to i64
  %real = uitofp i64 %wide to double
  %minus = fneg double %real
  %same = freeze double %minus
  %slot = alloca %pair
  %field = getelementptr %pair, %pair* %slot, i64 0, i32 0
  %more = icmp sgt i32 %sum, 3
  br i1 %more, label %then, label %end

then:
  %called = call i32 @puts(i8* getelementptr ([3 x i8], [3 x i8]* @text, i64 0, i64 0))
  %chosen = select i1 %more, i32 %called, i32 7
  %smaller = fcmp olt double %same, 1.0
  store i32 %chosen, i32* %field
  br label %end

end:
  %result = phi i32 [ %sum, %entry ], [ %chosen, %then ]
  %read = load i32, i32* %field
  ret i32 %result
}

define i32 @numbers(i32 %0) {
  %2 = mul i32 %0, 3
  br label %3

3:
  %4 = phi i32 [ %2, %1 ], [ %5, %3 ]
  %5 = sub i32 %4, 1
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %7, label %3

7:
  %8 = call i32 @count(i32 %4)
  ret i32 %8
}

define i32 @catches() personality i8* null {
  %value = invoke i32 @count(i32 1) to label %next unwind label %caught

next:
  invoke void @free(i8* null) to label %done unwind label %caught

done:
  switch i32 %value, label %last [ i32 1, label %caught2 ]

caught:
  %pad = landingpad { i8*, i32 } cleanup
  resume { i8*, i32 } %pad

caught2:
  unreachable

last:
  ret i32 %value
}

declare void @free(i8*)

attributes #0 = { nounwind }
!0 = !{!1}
!1 = !{i32 1}
