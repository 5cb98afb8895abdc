-- A sample.
local list, count = { 1, 2; name = "list", ["key"] = {} }, 0
local other <const> = [[a long
text]]

local function add(a, b, ...)
    if a > b and not other then
        return a + b * 2
    elseif a == nil then
        return ...
    else
        print(a .. b, #list)
    end
end

function list.walk(tree)
    for index, value in ipairs(tree) do
        list[index] = value
        if value == 3 then break end
    end
    for i = 1, 10, 2 do
        count = count + i
    end
end

function list:each(run)
    while count > 0 do
        count = count - 1
        goto continue
        ::continue::
    end
    repeat
        local x = run(self)
    until x
    do
        run({ 1 })
    end
end

list:each(function(it) return it.name == "x" end)
return add(1, 2)
