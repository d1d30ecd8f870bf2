/* The published model under KIP-279 (model/published), by hand: what Highwater's speed is compared with.

   Breadth-first over whole states of 16 bytes in one table, without predecessors. Successors of several states are looked up one
   after another, so that the processor waits for several cache lines at once. Three invariants are asked of each distinct state
   until they are violated, as Highwater asks them. Prints states, transitions, depth and which are violated.
   BROKERS, LOG_SIZE, MAX_RECORDS (1 to 3), MAX_EPOCH (0 to 2) and the number of slots, a power of two, are given with -D. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NOBODY 3
#define FIELD(word, at, bits) ((word) >> (at) & ((1u << (bits)) - 1))
#define WITH(word, at, bits, value) (((word) & ~(((1u << (bits)) - 1) << (at))) | (uint32_t)(value) << (at))

/* A state. Bit 31 of `common` is set, so that no state is an empty slot. */
typedef union { struct { uint32_t common, replica[3]; }; uint64_t words[2]; } State;

/* Bits of `common`; epochs are one more than they are, because the first is -1. */
enum { NEXT_ID = 0, NEXT_EPOCH = 2, Q_EPOCH = 4, Q_LEADER = 6, Q_ISR = 8, REQUESTS = 11 }; /* a request: leader 2, ISR 3 */
/* Bits of a replica; a slot of its log has an id and an epoch, both zero beyond the end. */
enum { EPOCH = 0, LEADER = 2, ISR = 4, HW = 7, LEO = 9, LOG = 11 };

#define R(name, r, bits) FIELD(s->replica[r], name, bits)
#define Q(name, bits) FIELD(s->common, name, bits)
#define REQUEST_LEADER(e) FIELD(s->common, REQUESTS + 5 * (e), 2)
#define REQUEST_ISR(e) FIELD(s->common, REQUESTS + 5 * (e) + 2, 3)

static State *table, *queue;
static uint64_t states, transitions;

static void insert(State next)
{
    uint64_t hash = (next.words[0] ^ next.words[1] * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    for (uint64_t at = (hash ^ hash >> 32) & (SLOTS - 1);; at = (at + 1) & (SLOTS - 1)) {
        if (table[at].words[0] == next.words[0] && table[at].words[1] == next.words[1]) return;
        if (!table[at].common) {
            if (states >= SLOTS / 8 * 7) { fputs("the table is full\n", stderr); exit(1); }
            table[at] = queue[states++] = next;
            return;
        }
    }
}

/* Successors that wait to be looked up: FEW and those of one more state, which has at most 36. */
enum { FEW = 64, MOST = FEW + 64 };
static State found[MOST];
static int waiting;

static void to(State next) { found[waiting++] = next; }

static void insert_found(void)
{
    transitions += waiting;
    for (int i = 0; i < waiting; i++) insert(found[i]);
    waiting = 0;
}

/* What guards look at. */

static int presumes(const State *s, int r) { return R(LEADER, r, 2) == (uint32_t)r; }

static int is_true_leader(const State *s, int r)
{
    return Q(Q_LEADER, 2) == (uint32_t)r && presumes(s, r) && R(EPOCH, r, 2) == Q(Q_EPOCH, 2);
}

static int is_caught_up(const State *s, int leader, int follower, uint32_t end)
{
    return R(LEADER, follower, 2) == (uint32_t)leader && end <= R(LEO, leader, 2) && end <= R(LEO, follower, 2);
}

static int same_record(const State *s, int one, int other, int offset)
{
    return R(LOG + 4 * offset, one, 4) == R(LOG + 4 * offset, other, 4);
}

static uint32_t offset_of_last_match(const State *s, int follower, int leader)
{
    uint32_t match = 0, end = R(LEO, follower, 2) < R(LEO, leader, 2) ? R(LEO, follower, 2) : R(LEO, leader, 2);
    for (uint32_t offset = 0; offset < end; offset++)
        if (same_record(s, follower, leader, offset)) match = offset + 1;
    return match;
}

/* What effects do. */

static void send_new_request(State t, uint32_t leader, uint32_t isr)
{
    uint32_t epoch = FIELD(t.common, NEXT_EPOCH, 2);
    t.common = WITH(t.common, NEXT_EPOCH, 2, epoch + 1);
    t.common = WITH(t.common, Q_EPOCH, 2, epoch + 1);
    t.common = WITH(t.common, Q_LEADER, 2, leader);
    t.common = WITH(t.common, Q_ISR, 3, isr);
    t.common = WITH(t.common, REQUESTS + 5 * epoch, 5, leader | isr << 2);
    to(t);
}

static void write_isr(State t, int leader, uint32_t isr)
{
    t.common = WITH(t.common, Q_ISR, 3, isr);
    t.replica[leader] = WITH(t.replica[leader], ISR, 3, isr);
    to(t);
}

static uint32_t obeyed(const State *s, int r, int epoch)
{
    uint32_t word = WITH(s->replica[r], EPOCH, 2, epoch + 1);
    return WITH(WITH(word, LEADER, 2, REQUEST_LEADER(epoch)), ISR, 3, REQUEST_ISR(epoch));
}

/* The actions. */

static void controller(const State *s, int r)
{
    uint32_t leader = Q(Q_LEADER, 2), isr = Q(Q_ISR, 3), inside = isr >> r & 1;
    if (Q(NEXT_EPOCH, 2) > MAX_EPOCH) return;
    if (leader == (uint32_t)r) send_new_request(*s, NOBODY, isr == 1u << r ? isr : isr & ~(1u << r));
    else if (inside) send_new_request(*s, leader, isr & ~(1u << r));
    if (inside && leader != (uint32_t)r) send_new_request(*s, r, isr);
}

static void obey(const State *s, int epoch)
{
    uint32_t leader = REQUEST_LEADER(epoch);
    if ((uint32_t)epoch >= Q(NEXT_EPOCH, 2) || leader == NOBODY) return;
    for (int r = 0; r < BROKERS; r++) {
        if (R(EPOCH, r, 2) > (uint32_t)epoch) continue;
        State t = *s;
        uint32_t word = obeyed(s, r, epoch);
        if ((uint32_t)r != leader) {
            uint32_t end = offset_of_last_match(s, r, leader);
            word &= ~0u >> (32 - LOG - 4 * end);
            if (FIELD(word, LEO, 2) > end) word = WITH(word, LEO, 2, end);
            if (FIELD(word, HW, 2) > end) word = WITH(word, HW, 2, end);
        }
        t.replica[r] = word;
        to(t);
    }
}

static void leader_write(const State *s, int leader)
{
    uint32_t id = Q(NEXT_ID, 2), leo = R(LEO, leader, 2);
    if (id >= MAX_RECORDS || leo >= LOG_SIZE) return;
    State t = *s;
    t.common = WITH(t.common, NEXT_ID, 2, id + 1);
    t.replica[leader] = WITH(t.replica[leader], LOG + 4 * leo, 4, id | (R(EPOCH, leader, 2) - 1) << 2);
    t.replica[leader] = WITH(t.replica[leader], LEO, 2, leo + 1);
    to(t);
}

static void change_isr(const State *s, int leader, int follower)
{
    uint32_t isr = R(ISR, leader, 3);
    if (!is_true_leader(s, leader)) return;
    if (isr >> follower & 1) {
        if (leader != follower && !is_caught_up(s, leader, follower, R(LEO, leader, 2)))
            write_isr(*s, leader, isr & ~(1u << follower));
    } else if (is_caught_up(s, leader, follower, R(HW, leader, 2)))
        write_isr(*s, leader, isr | 1u << follower);
}

static void advance_high_watermark(const State *s, int leader)
{
    uint32_t isr = R(ISR, leader, 3), hw = R(HW, leader, 2);
    if (hw >= LOG_SIZE) return;
    for (int r = 0; r < BROKERS; r++)
        if (isr >> r & 1 && (R(LEADER, r, 2) != (uint32_t)leader || R(LEO, r, 2) <= hw)) return;
    State t = *s;
    t.replica[leader] = WITH(t.replica[leader], HW, 2, hw + 1);
    to(t);
}

static void replicate(const State *s, int follower, int leader)
{
    uint32_t leo = R(LEO, follower, 2), hw = R(HW, leader, 2);
    if (R(LEADER, follower, 2) != (uint32_t)leader || leo >= R(LEO, leader, 2)) return;
    State t = *s;
    uint32_t word = WITH(t.replica[follower], LOG + 4 * leo, 4, R(LOG + 4 * leo, leader, 4));
    t.replica[follower] = WITH(WITH(word, LEO, 2, leo + 1), HW, 2, hw < leo + 1 ? hw : leo + 1);
    to(t);
}

static void next(const State *s)
{
    for (int r = 0; r < BROKERS; r++) controller(s, r);
    for (int epoch = 0; epoch <= MAX_EPOCH; epoch++) obey(s, epoch);
    for (int leader = 0; leader < BROKERS; leader++) {
        if (!presumes(s, leader)) continue;
        leader_write(s, leader);
        advance_high_watermark(s, leader);
        for (int r = 0; r < BROKERS; r++) {
            change_isr(s, leader, r);
            if (r != leader) replicate(s, r, leader);
        }
    }
}

/* The invariants. */

static int hold_committed(const State *s, int leader, uint32_t members)
{
    for (int r = 0; r < BROKERS; r++)
        for (uint32_t offset = 0; members >> r & 1 && offset < R(HW, leader, 2); offset++)
            if (offset >= R(LEO, r, 2) || !same_record(s, leader, r, offset)) return 0;
    return 1;
}

static int weak_isr(const State *s)
{
    for (int r = 0; r < BROKERS; r++)
        if (presumes(s, r) && !hold_committed(s, r, R(ISR, r, 3))) return 0;
    return 1;
}

static int strong_isr(const State *s)
{
    for (int r = 0; r < BROKERS; r++)
        if (presumes(s, r) && !hold_committed(s, r, Q(Q_ISR, 3))) return 0;
    return 1;
}

static int hw_within_log(const State *s)
{
    for (int r = 0; r < BROKERS; r++)
        if (R(HW, r, 2) > R(LEO, r, 2)) return 0;
    return 1;
}

static void *memory(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) { perror("mmap"); exit(1); }
#ifdef MADV_HUGEPAGE
    madvise(at, bytes, MADV_HUGEPAGE);
#endif
    return at;
}

int main(void)
{
    int (*const invariants[3])(const State *) = { weak_isr, strong_isr, hw_within_log };
    int violated = 0, depth = 0;
    State first = { { 1u << 31 | NOBODY << Q_LEADER | ((1u << BROKERS) - 1) << Q_ISR, { 0, 0, 0 } } };
    for (int epoch = 0; epoch <= MAX_EPOCH; epoch++) first.common |= NOBODY << (REQUESTS + 5 * epoch);
    for (int r = 0; r < BROKERS; r++) first.replica[r] = NOBODY << LEADER;
    table = memory(sizeof(State) * SLOTS);
    queue = memory(sizeof(State) * SLOTS);
    to(first);
    insert_found();
    for (uint64_t at = 0, end = states; at < end; end = states, depth++) {
        for (; at < end; at++) {
            State s = queue[at];
            for (int i = 0; i < 3; i++)
                if (!(violated >> i & 1) && !invariants[i](&s)) violated |= 1 << i;
            next(&s);
            if (waiting >= FEW) insert_found();
        }
        insert_found();
    }
    printf("%llu %llu %d %d\n", (unsigned long long)states, (unsigned long long)transitions, depth, violated);
    return 0;
}
