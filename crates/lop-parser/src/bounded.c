// The allocator of tree-sitter counts the memory of a parse, and abandons one that takes too much or that is told to stop.
// tree-sitter asks whether to go on between operations only; a single one of them can take gigabytes and a minute.
//
// An abandoned parse jumps out of the allocator. Only frames of tree-sitter lie between, in C: they own nothing but
// memory, and that is listed here. The parser itself and the memory from before the parse stay allocated, some kilobytes
// each time: it may hold pointers to blocks that are gone.

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct { uint32_t row, column; } TSPoint;
// As in tree_sitter/api.h of the version that the manifest asks for.
typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t byte_index, TSPoint position, uint32_t *bytes_read);
  int encoding;
  uint32_t (*decode)(const uint8_t *string, uint32_t length, int32_t *code_point);
} TSInput;
typedef struct {
  void *payload;
  bool (*progress_callback)(void *state);
} TSParseOptions;

TSTree *ts_parser_parse_with_options(TSParser *self, const TSTree *old_tree, TSInput input, TSParseOptions options);
void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));

// In front of each block; blocks stay aligned for anything.
typedef struct {
  _Alignas(16) size_t size;
  // Its place in the list of the parse that it was allocated in, if that goes on.
  size_t slot;
} Header;

typedef struct {
  jmp_buf out;
  // Bytes that it has allocated and not freed, and how many these may be.
  size_t live, most;
  // Bytes that it has asked for since the last question.
  size_t asked;
  bool (*go_on)(void *payload);
  void *payload;
  // Its blocks. A free place holds the number of the next free place, counted from 1.
  union Slot { Header *block; size_t next_free; } *slots;
  size_t count, capacity, free;
  bool abandoned;
} Parse;

static _Thread_local Parse *current;

// Bytes after which a parse is asked whether to go on.
enum { ASK_AFTER = 64 << 10 };

static Header *header(void *block) { return (Header *)block - 1; }

static void enter(Header *block) {
  Parse *parse = current;
  block->slot = SIZE_MAX;
  if (!parse) return;
  if (!parse->free) {
    if (parse->count == parse->capacity) {
      size_t capacity = parse->capacity ? 2 * parse->capacity : 1024;
      union Slot *slots = realloc(parse->slots, capacity * sizeof *slots);
      if (!slots) abort();
      parse->slots = slots;
      parse->capacity = capacity;
    }
    parse->slots[parse->count].next_free = 0;
    parse->free = ++parse->count;
  }
  block->slot = parse->free - 1;
  parse->free = parse->slots[block->slot].next_free;
  parse->slots[block->slot].block = block;
  parse->live += block->size;
}

// A block of another parse may have the same place in another list.
static bool is_listed(const Header *block) {
  return current && block->slot < current->count && current->slots[block->slot].block == block;
}

static void leave(Header *block) {
  if (!is_listed(block)) return;
  current->live -= block->size;
  current->slots[block->slot].next_free = current->free;
  current->free = block->slot + 1;
}

// Asked before anything is allocated, so that nothing is half done.
static void check(size_t size) {
  Parse *parse = current;
  if (!parse) return;
  parse->asked += size;
  bool goes_on = parse->live + size <= parse->most;
  if (goes_on && parse->asked >= ASK_AFTER) {
    parse->asked = 0;
    goes_on = parse->go_on(parse->payload);
  }
  if (!goes_on) longjmp(parse->out, 1);
}

static void *prepare(Header *block, size_t size) {
  if (!block) abort();
  block->size = size;
  enter(block);
  return block + 1;
}

static size_t with_header(size_t size) {
  if (size > SIZE_MAX - sizeof(Header)) abort();
  return size + sizeof(Header);
}

static void *allocate(size_t size) {
  check(size);
  return prepare(malloc(with_header(size)), size);
}

static void *allocate_zeros(size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) abort();
  check(count * size);
  return prepare(calloc(1, with_header(count * size)), count * size);
}

static void *reallocate(void *block, size_t size) {
  if (!block) return allocate(size);
  size_t before = header(block)->size;
  check(size > before ? size - before : 0);
  leave(header(block));
  return prepare(realloc(header(block), with_header(size)), size);
}

static void release(void *block) {
  if (!block) return;
  leave(header(block));
  free(header(block));
}

// Before anything else: a block that another allocator has made has no header.
__attribute__((constructor)) static void begin(void) {
  ts_set_allocator(allocate, allocate_zeros, reallocate, release);
}

static TSTree *run(Parse *parse, TSParser *parser, const TSTree *old, const TSInput *input, const TSParseOptions *options) {
  current = parse;
  TSTree *tree = NULL;
  if (setjmp(parse->out) == 0) {
    tree = ts_parser_parse_with_options(parser, old, *input, *options);
  } else {
    parse->abandoned = true;
  }
  current = NULL;
  return tree;
}

static void free_all(Parse *parse) {
  // Free places hold numbers, and no block is there.
  while (parse->free) {
    union Slot *slot = &parse->slots[parse->free - 1];
    parse->free = slot->next_free;
    slot->block = NULL;
  }
  for (size_t slot = 0; slot < parse->count; slot++) free(parse->slots[slot].block);
}

// Parses. `abandoned` is set where the parse was left in its middle. What it has allocated is freed then, and the parser
// cannot be used any more, not even to be deleted.
TSTree *lop_parse(
  TSParser *parser, const TSTree *old, const TSInput *input, const TSParseOptions *options, size_t most,
  bool (*go_on)(void *payload), void *payload, bool *abandoned
) {
  Parse parse = {.most = most, .go_on = go_on, .payload = payload};
  TSTree *tree = run(&parse, parser, old, input, options);
  if (parse.abandoned) free_all(&parse);
  free(parse.slots);
  *abandoned = parse.abandoned;
  return tree;
}
