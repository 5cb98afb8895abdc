// An allocator for tree-sitter that counts the memory of a parse, and abandons one that takes too much or that is told to
// stop. A program installs it; without it, no parse of it is counted or abandoned here.
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

typedef struct { void *start; size_t size; } Block;

typedef struct {
  jmp_buf out;
  // Bytes that it has allocated and not freed, and how many these may be.
  size_t live, most;
  // Bytes that it has asked for since the last question.
  size_t asked;
  bool (*go_on)(void *payload);
  void *payload;
  // Its blocks: a hash table, of which at most three quarters are full.
  Block *blocks;
  // A power of two, or 0 before the first block.
  size_t places, count;
  bool abandoned;
} Parse;

static _Thread_local Parse *current;

// Bytes after which a parse is asked whether to go on.
enum { ASK_AFTER = 64 << 10 };

// Where the search for a block begins: blocks that are near each other in memory are near each other here, since to look for
// each elsewhere takes a quarter of the time of a parse more. The low bits of an address say little.
static size_t first_place(const Parse *parse, const void *block) {
  uintptr_t address = (uintptr_t)block;
  uint64_t page = (uint64_t)(address >> 12) * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)((page >> 32) + (address >> 5 & 127)) & (parse->places - 1);
}

// The place of a block, or the free one where it would be.
static size_t place_of(const Parse *parse, const void *block) {
  size_t place = first_place(parse, block);
  while (parse->blocks[place].start && parse->blocks[place].start != block) place = (place + 1) & (parse->places - 1);
  return place;
}

static void grow(Parse *parse) {
  Parse larger = {.places = parse->places ? 2 * parse->places : 1024};
  larger.blocks = calloc(larger.places, sizeof *larger.blocks);
  if (!larger.blocks) abort();
  for (size_t place = 0; place < parse->places; place++) {
    Block block = parse->blocks[place];
    if (block.start) larger.blocks[place_of(&larger, block.start)] = block;
  }
  free(parse->blocks);
  parse->blocks = larger.blocks;
  parse->places = larger.places;
}

// A block is listed while the parse goes on that has allocated it, in its thread. All blocks are those of malloc, so that
// the others need not be known: those from before the parse, and from before this allocator was installed.
static void *enter(void *block, size_t size) {
  if (!block) abort();
  Parse *parse = current;
  if (!parse) return block;
  if (4 * (parse->count + 1) > 3 * parse->places) grow(parse);
  parse->blocks[place_of(parse, block)] = (Block){block, size};
  parse->count++;
  parse->live += size;
  return block;
}

// The size of a block that is listed, and else 0.
static size_t size_of(const void *block) {
  return current && current->count ? current->blocks[place_of(current, block)].size : 0;
}

static void leave(const void *block) {
  Parse *parse = current;
  if (!parse || !parse->count) return;
  size_t hole = place_of(parse, block), last = parse->places - 1;
  if (!parse->blocks[hole].start) return;
  parse->count--;
  parse->live -= parse->blocks[hole].size;
  // A block after it moves up if its search would end at the hole.
  for (size_t next = (hole + 1) & last; parse->blocks[next].start; next = (next + 1) & last) {
    size_t wanted = first_place(parse, parse->blocks[next].start);
    if (((next - wanted) & last) < ((next - hole) & last)) continue;
    parse->blocks[hole] = parse->blocks[next];
    hole = next;
  }
  parse->blocks[hole] = (Block){NULL, 0};
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

// Nothing may be NULL: tree-sitter would take it for a lack of memory.
static size_t some(size_t size) { return size ? size : 1; }

static void *allocate(size_t size) {
  check(size);
  return enter(malloc(some(size)), size);
}

static void *allocate_zeros(size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) abort();
  check(count * size);
  return enter(calloc(1, some(count * size)), count * size);
}

static void *reallocate(void *block, size_t size) {
  if (!block) return allocate(size);
  size_t before = size_of(block);
  check(size > before ? size - before : 0);
  leave(block);
  return enter(realloc(block, some(size)), size);
}

static void release(void *block) {
  if (!block) return;
  leave(block);
  free(block);
}

// See `install_allocator` in `bounded.rs`.
void lop_install_allocator(void) {
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
  for (size_t place = 0; place < parse->places; place++) free(parse->blocks[place].start);
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
  free(parse.blocks);
  *abandoned = parse.abandoned;
  return tree;
}
