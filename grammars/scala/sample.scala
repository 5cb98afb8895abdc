package some.where

import scala.math.max

// A sample.
case class Box(name: String, count: Int = 0) extends Base {
  def twice: Int = count * 2
}

object Main {
  def walk(list: List[Box]): Int = {
    var sum = 0
    for (each <- list if each.count > 3) {
      sum += max(each.twice, 1)
    }
    sum match {
      case 0 => println("none")
      case other => println(s"found $other")
    }
    sum
  }
}
