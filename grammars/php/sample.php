<?php
// A sample.
namespace Some\Where;

class Box extends Base
{
    private $count = 1;

    public function twice(int $by = 2): int
    {
        return $this->count * $by;
    }
}

function walk(array $list)
{
    foreach ($list as $key => $each) {
        if ($each > 3 && isset($list[$key])) {
            echo "found $each", 'x';
        } else {
            continue;
        }
    }
}

walk([1, 2, 'a' => 5]);
