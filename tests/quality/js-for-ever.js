function wait(queue, limit) {
  var turns = 0, job;
  for (;;) {
    job = queue.shift();
    if (!job) break;
    if (++turns > limit) { throw new Error("too many turns"); }
    try { job.run(turns); } catch (error) { queue.push(job); continue; }
  }
  return turns;
}
wait([{ run: function (n) { return n; } }], 3);
