package some.where

import kotlin.math.max

// A sample.
data class Box(val name: String, var count: Int = 0) {
    fun twice(): Int = count * 2
}

fun walk(list: List<Box>): Int {
    var sum = 0
    for (each in list) {
        if (each.count > 3 && each.name != "none") {
            sum += max(each.twice(), 1)
        }
    }
    return sum
}

fun main() {
    println(walk(listOf(Box("a"), Box("b", 4))))
}
