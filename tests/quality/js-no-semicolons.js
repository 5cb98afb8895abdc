const list = [3, 1, 2]
let total = 0
const add = (n) => {
  total += n
  return total
}
list.sort()
list.forEach(add)
let i = 0
do {
  i++
} while (i < 3)
function show(n) {
  if (n > 1) return n
  else
    return `none`
}
const a = 1
const b = show
var text = 'x'
;[1, 2].map(show)
console.log(total, b(a), text)
