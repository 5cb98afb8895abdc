const std = @import("std");

// A sample.
const Box = struct {
    name: []const u8,
    count: u32 = 1,

    fn twice(self: *const Box) u32 {
        return self.count * 2;
    }
};

pub fn main() !void {
    const box = Box{ .name = "a", .count = 4 };
    var sum: u32 = 0;
    while (sum < 3) : (sum += 1) {
        if (box.twice() == 8) {
            std.debug.print("found {s}\n", .{box.name});
        } else break;
    }
}
