// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/thread_times.h"

#include <algorithm>

namespace memspy::replay {

ThreadTimes::ThreadTime* ThreadTimes::of(u32 serial) {
    return serial == 0 || serial > kNamedThreads ? nullptr : &threads_[serial];
}

void ThreadTimes::began(u32 serial, Time at) {
    if (ThreadTime* const thread = of(serial)) thread->begin = thread->end = at;
}

void ThreadTimes::ended(u32 serial, Time at) {
    if (ThreadTime* const thread = of(serial)) thread->end = at;
}

Time ThreadTimes::shown_wrongly(const WaitSpan& a, const WaitSpan& b) {
    return b.from - a.until + (a.row == b.row ? 0 : std::min(a.waited, b.waited));
}

void ThreadTimes::join(WaitSpan& into, const WaitSpan& next) {
    if (into.row == next.row) {
        into.named += next.named;
        if (next.waited > into.waited) into.whom = next.whom;
    } else if (into.named < next.named) {
        into.named = next.named;
        into.row = next.row;
        into.whom = next.whom;
    }
    into.waited += next.waited;
    into.times += next.times;
    into.until = next.until;
}

void ThreadTimes::join_below(rt::Vector<WaitSpan>& spans, Time most) {
    usize kept = 0;
    for (usize i = 1; i < spans.size(); ++i) {
        if (shown_wrongly(spans[kept], spans[i]) <= most)
            join(spans[kept], spans[i]);
        else
            spans[++kept] = spans[i];
    }
    if (!spans.empty()) spans.resize(kept + 1);
}

void ThreadTimes::add(u32 serial, u32 row, u32 whom, Time from, Time until) {
    ThreadTime* const thread = of(serial);
    if (thread == nullptr) return;
    rt::Vector<WaitSpan>& spans = thread->spans;
    if (!spans.empty()) from = std::max(from, spans.back().until);
    if (from >= until) return;
    const Time time = until - from;
    spans.push_back({from, until, time, time, row, whom, 1});
    if (spans.size() <= kMostSpans) return;
    rt::Vector<Time> wrong;
    for (usize i = 1; i < spans.size(); ++i) wrong.push_back(shown_wrongly(spans[i - 1], spans[i]));
    std::nth_element(wrong.begin(), wrong.begin() + wrong.size() / 2, wrong.end());
    join_below(spans, wrong[wrong.size() / 2]);
}

void ThreadTimes::clear() {
    for (ThreadTime& thread : threads_) thread.spans.clear();
}

void ThreadTimes::settle() {
    Time end = 0;
    for (const ThreadTime& thread : threads_) end = std::max(end, thread.end);
    for (ThreadTime& thread : threads_) join_below(thread.spans, end / kLeastPart);
}

}  // namespace memspy::replay
