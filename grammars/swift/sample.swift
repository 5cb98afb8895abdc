import Foundation

// A sample.
struct Box: Named {
    let name: String
    var count = 1

    func twice(by: Int = 2) -> Int {
        return count * by
    }
}

func walk(_ list: [Box]) -> Int {
    var sum = 0
    for each in list {
        if each.count > 3 && each.name != "none" {
            sum += each.twice()
        } else {
            continue
        }
    }
    return sum
}

print(walk([Box(name: "a", count: 4)]))
