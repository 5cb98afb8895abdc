using System;

namespace Some.Where
{
    // A sample.
    public class Box<T> : Base where T : class
    {
        private readonly int count = 1;
        public string Name { get; set; } = "none";

        public Box(T first, params int[] rest) : base(rest.Length) { }

        public int Twice() => count * 2;

        public static int Main(string[] args)
        {
            foreach (var each in args)
            {
                if (each == null || each.Length > 3) continue;
                Console.WriteLine($"found {each}", 'c');
            }
            return args.Length * 2;
        }
    }
}
