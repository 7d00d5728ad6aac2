// parallel_for_each: over a sequence, to which bodies may add.
#ifndef DOALL_COMPAT_PARALLEL_FOR_EACH_H
#define DOALL_COMPAT_PARALLEL_FOR_EACH_H

#include "parallel_for.h"
#include "task_group.h"

#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
inline namespace doall_v0 {

// What a body adds items by, which are then run as the sequence's are.
template <class Item>
class feeder {
 public:
  void add(const Item& item) { give(Item(item)); }
  void add(Item&& item) { give(std::move(item)); }

 protected:
  feeder() = default;
  ~feeder() = default;

 private:
  virtual void give(Item&& item) = 0;
};

namespace detail {

// What a body's feeder is of, where its type says so: others may convert to it.
template <class Function, class Default>
struct item_of_function {
  using type = Default;
};
template <class R, class T, class Item, class Default>
struct item_of_function<R (*)(T, feeder<Item>&), Default> {
  using type = Item;
};
template <class R, class C, class T, class Item, class Default>
struct item_of_function<R (C::*)(T, feeder<Item>&), Default> {
  using type = Item;
};
template <class R, class C, class T, class Item, class Default>
struct item_of_function<R (C::*)(T, feeder<Item>&) const, Default> {
  using type = Item;
};
template <class R, class C, class T, class Item, class Default>
struct item_of_function<R (C::*)(T, feeder<Item>&) const noexcept, Default> {
  using type = Item;
};
template <class Body, class Default, class = void>
struct item_of_body : item_of_function<std::decay_t<Body>, Default> {};
template <class Body, class Default>
struct item_of_body<Body, Default, std::void_t<decltype(&Body::operator())>>
    : item_of_function<decltype(&Body::operator()), Default> {};

template <class Item, class Body, class Reference>
inline constexpr bool takes_feeder = std::is_invocable_v<const Body&, Reference, feeder<Item>&>;

template <class Body, class Item, class... Feeder>
void call_with_own(const Body& body, Item& item, Feeder&... feed) {
  if constexpr (std::is_invocable_v<const Body&, Item&&, Feeder&...>)
    std::invoke(body, std::move(item), feed...);
  else
    std::invoke(body, item, feed...);
}

// Items one by one, or in blocks of an iterator's, as tasks of one group.
template <class Body, class Item>
class fed_loop final : public feeder<Item> {
 public:
  fed_loop(const Body& body, task_group_context& context) : body_(body), tasks_(context) {}
  ~fed_loop() { tasks_.finish(); }

  void give(Item&& item) override {
    give_task([this, own = std::move(item)]() mutable { run_own(own); });
  }
  template <class Iterator>
  void give_block(Iterator at, std::size_t items) {
    give_task([this, at, items]() mutable {
      for (std::size_t left = items; left > 0; --left, ++at) {
        if (tasks_.context().is_group_execution_cancelled()) return;
        if constexpr (takes_feeder<Item, Body, decltype(*at)>)
          std::invoke(body_, *at, static_cast<feeder<Item>&>(*this));
        else
          std::invoke(body_, *at);
      }
    });
  }
  void wait() { tasks_.wait(); }

 private:
  void run_own(Item& item) {
    if constexpr (takes_feeder<Item, Body, Item&> || takes_feeder<Item, Body, Item&&>)
      call_with_own(body_, item, static_cast<feeder<Item>&>(*this));
    else
      call_with_own(body_, item);
  }
  template <class Function>
  void give_task(Function&& f) {
    tasks_.give(*new task_of<std::decay_t<Function>>(std::forward<Function>(f)));
  }

  const Body& body_;
  open_tasks tasks_;
};

template <class Iterator, class Body>
void for_each_in(Iterator first, Iterator last, const Body& body, task_group_context& context) {
  using traits = std::iterator_traits<Iterator>;
  using value = std::remove_cv_t<typename traits::value_type>;
  using item = typename item_of_body<Body, value>::type;
  using category = typename traits::iterator_category;
  constexpr bool is_random = std::is_base_of_v<std::random_access_iterator_tag, category>;
  constexpr bool is_forward = std::is_base_of_v<std::forward_iterator_tag, category>;
  constexpr bool feeds = takes_feeder<item, Body, typename traits::reference> ||
                         takes_feeder<item, Body, item&> || takes_feeder<item, Body, item&&>;
  if constexpr (is_random && !feeds) {
    for_range(
        blocked_range<std::size_t>(0, static_cast<std::size_t>(last - first)),
        [&](const blocked_range<std::size_t>& part) {
          using distance = typename traits::difference_type;
          for (std::size_t i = part.begin(); i != part.end(); ++i) {
            if (context.is_group_execution_cancelled()) return;
            std::invoke(body, first[static_cast<distance>(i)]);
          }
        },
        auto_partitioner(), context);
  } else if (!(first == last)) {
    run_here(context, [&] {
      fed_loop<Body, item> loop(body, context);
      if constexpr (is_forward) {
        std::size_t items = 0;
        for (Iterator at = first; !(at == last); ++at) ++items;  // that has no other comparison
        const std::size_t block = std::max<std::size_t>(items / (4 * parts_wanted()), 1);
        for (std::size_t left = items; left > 0;) {
          const std::size_t these = std::min(left, block);
          loop.give_block(first, these);
          std::advance(first, static_cast<typename traits::difference_type>(these));
          left -= these;
        }
      } else {
        for (; !(first == last) && !context.is_group_execution_cancelled(); ++first)
          static_cast<feeder<item>&>(loop).add(item(*first));
      }
      loop.wait();
    });
  }
}

}  // namespace detail

// Iterators that can be read only once are read by the caller, item by item.
template <class Iterator, class Body>
void parallel_for_each(Iterator first, Iterator last, const Body& body) {
  task_group_context context;
  detail::for_each_in(first, last, body, context);
}
template <class Iterator, class Body>
void parallel_for_each(Iterator first, Iterator last, const Body& body,
                       task_group_context& context) {
  detail::for_each_in(first, last, body, context);
}
template <class Range, class Body, class = decltype(std::begin(std::declval<Range&>()))>
void parallel_for_each(Range&& range, const Body& body) {
  parallel_for_each(std::begin(range), std::end(range), body);
}
template <class Range, class Body, class = decltype(std::begin(std::declval<Range&>()))>
void parallel_for_each(Range&& range, const Body& body, task_group_context& context) {
  parallel_for_each(std::begin(range), std::end(range), body, context);
}

}  // namespace doall_v0
}  // namespace tbb

#endif
