struct job { int turns; struct job *next; };
static int run(struct job *job) { return job ? job->turns : 0; }
int wait_all(struct job *queue, int limit)
{
    int turns = 0;
    for (;;) {
        if (!queue)
            break;
        if (++turns > limit) {
            return -1;
        }
        turns += run(queue);
        queue = queue->next;
    }
    return turns;
}
int main(void) { struct job one = { 1, 0 }; return wait_all(&one, 3); }
