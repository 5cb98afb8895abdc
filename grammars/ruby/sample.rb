# A sample.
require "set"

class Box < Base
  attr_reader :name

  def initialize(name, count = 1)
    @name = name
    @count = count
  end

  def twice
    return @count * 2 if @count > 3
    [1, 2].each do |each|
      puts "found #{each}"
    end
  end
end

box = Box.new("a", 4)
unless box.twice == 8
  puts box.name =~ /x+/
end
