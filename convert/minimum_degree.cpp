// Approximate minimum degree (Amestoy, Davis and Duff, 1996). What is eliminated becomes an element, a clique
// of those it touched; a variable's degree is bounded by its elements' sizes outside of the new one, which
// are counted for all of its variables at once. Variables of the same neighbours are one from then on.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "convert/reordering.hpp"

namespace sparsmith {
namespace {

using index = std::int32_t;
constexpr index none = -1;

// Variables by their degree, one list a degree.
class degree_lists {
 public:
  explicit degree_lists(index count)
      : first_(count, none), next_(count, none), before_(count, none), of_(count, none) {}

  void insert(index v, index degree) {
    const index old = first_[degree];
    next_[v] = old;
    before_[v] = none;
    if (old != none) before_[old] = v;
    first_[degree] = v;
    of_[v] = degree;
    least_ = std::min(least_, degree);
  }
  void remove(index v) {
    if (of_[v] == none) return;
    if (before_[v] != none)
      next_[before_[v]] = next_[v];
    else
      first_[of_[v]] = next_[v];
    if (next_[v] != none) before_[next_[v]] = before_[v];
    of_[v] = none;
  }
  // There is one.
  index least() {
    while (first_[least_] == none) ++least_;
    return first_[least_];
  }

 private:
  struct list : std::vector<index> {
    list(index count, index value) : std::vector<index>(static_cast<std::size_t>(count), value) {}
    index& operator[](index i) { return std::vector<index>::operator[](static_cast<std::size_t>(i)); }
  };
  list first_, next_, before_, of_;
  index least_ = 0;
};

class elimination {
 public:
  explicit elimination(const adjacency& graph)
      : size_(graph.size()),
        variables_(of<std::vector<index>>()),
        elements_(of<std::vector<index>>()),
        members_(of<std::vector<index>>()),
        weight_(of<index>(1)),
        degree_(of<index>(0)),
        outside_(of<std::int64_t>(0)),
        element_size_(of<index>(0)),
        mark_(of<std::int64_t>(0)),
        lists_(size_) {
    // What touches nearly all others would be in every element: it comes last, as it would anyhow.
    const double dense = std::max(16.0, 10 * std::sqrt(static_cast<double>(size_)));
    for (index v = 0; v < size_; ++v)
      if (graph.degree(v) > dense) {
        at(weight_, v) = 0;
        postponed_.push_back(v);
      }
    left_ = size_ - static_cast<index>(postponed_.size());
    for (index v = 0; v < size_; ++v) {
      if (at(weight_, v) == 0) continue;
      at(members_, v) = {v};
      std::copy_if(graph.begin(v), graph.end(v), std::back_inserter(at(variables_, v)),
                   [&](index w) { return at(weight_, w) > 0; });
      at(degree_, v) = static_cast<index>(at(variables_, v).size());
      lists_.insert(v, at(degree_, v));
    }
  }

  array<index, host> order() {
    std::vector<index> result;
    result.reserve(static_cast<std::size_t>(size_));
    while (left_ > 0) {
      const index pivot = lists_.least();
      lists_.remove(pivot);
      eliminate(pivot);
      const auto& all = at(members_, pivot);
      result.insert(result.end(), all.begin(), all.end());
      at(members_, pivot) = {};
    }
    result.insert(result.end(), postponed_.begin(), postponed_.end());
    array<index, host> order(size_);
    std::copy(result.begin(), result.end(), order.begin());
    return order;
  }

 private:
  template <class T>
  std::vector<T> of(T value = {}) const {
    return std::vector<T>(static_cast<std::size_t>(size_), value);
  }
  template <class T>
  static T& at(std::vector<T>& list, index i) {
    return list[static_cast<std::size_t>(i)];
  }

  // A mark that nothing carries yet.
  std::int64_t fresh() { return ++last_mark_; }

  // The variables that a pivot touches become its element; elements within it are no longer needed.
  std::vector<index> touched_by(index pivot) {
    const std::int64_t seen = fresh();
    at(mark_, pivot) = seen;
    std::vector<index> touched;
    const auto add = [&](index v) {
      if (at(weight_, v) == 0 || at(mark_, v) == seen) return;
      at(mark_, v) = seen;
      touched.push_back(v);
    };
    for (const index v : at(variables_, pivot)) add(v);
    for (const index e : at(elements_, pivot)) {
      for (const index v : element_variables_of(e)) add(v);
      absorb(e);
    }
    at(variables_, pivot) = {};
    at(elements_, pivot) = {};
    return touched;
  }

  // An element's variables are kept where those of its pivot were.
  std::vector<index>& element_variables_of(index element) { return at(variables_, element); }
  void absorb(index element) {
    element_variables_of(element) = {};
    at(element_size_, element) = 0;
  }
  bool is_absorbed(index element) { return at(element_size_, element) == 0; }

  index weight_of(const std::vector<index>& list) {
    return std::accumulate(list.begin(), list.end(), index{0},
                           [&](index sum, index v) { return sum + at(weight_, v); });
  }

  void eliminate(index pivot) {
    std::vector<index> touched = touched_by(pivot);
    index pivot_weight = at(weight_, pivot);
    at(weight_, pivot) = 0;
    left_ -= pivot_weight;
    for (const index v : touched) lists_.remove(v);
    count_outside(touched);

    const std::int64_t in_element = fresh();
    for (const index v : touched) at(mark_, v) = in_element;
    index size = weight_of(touched);
    std::vector<std::pair<std::size_t, index>> hashes;
    for (const index v : touched) {
      const std::int64_t beyond = update_lists(v, in_element);
      if (beyond == 0 && at(elements_, v).empty() && at(variables_, v).empty()) {
        // It touches nothing else: eliminated along with the pivot, at no cost.
        size -= at(weight_, v);
        left_ -= at(weight_, v);
        join(pivot, v);
        continue;
      }
      at(degree_, v) = static_cast<index>(
          std::min<std::int64_t>(beyond, at(degree_, v)));  // completed once the element's size is known
      at(elements_, v).push_back(pivot);
      hashes.emplace_back(hash_of(v), v);
    }
    merge_alike(hashes);

    auto& element = element_variables_of(pivot);
    for (const index v : touched)
      if (at(weight_, v) > 0) element.push_back(v);
    at(element_size_, pivot) = size;
    for (const index v : element) {
      const std::int64_t bound = std::int64_t{at(degree_, v)} + size - at(weight_, v);
      at(degree_, v) = static_cast<index>(std::clamp<std::int64_t>(bound, 0, left_ - at(weight_, v)));
      lists_.insert(v, at(degree_, v));
    }
  }

  // For the elements beside the new one: how much of them lies outside of it.
  void count_outside(const std::vector<index>& touched) {
    counted_from_ = fresh();
    for (const index v : touched)
      for (const index e : at(elements_, v)) {
        if (is_absorbed(e)) continue;
        if (at(mark_, e) != counted_from_) {
          at(mark_, e) = counted_from_;
          at(outside_, e) = at(element_size_, e);
        }
        at(outside_, e) -= at(weight_, v);
      }
  }

  // Drops what is absorbed, and variables that are reached through the new element; gives how much is beyond
  // it, elements counted as if they were apart.
  std::int64_t update_lists(index v, std::int64_t in_element) {
    std::int64_t beyond = 0;
    std::erase_if(at(elements_, v), [&](index e) {
      if (is_absorbed(e)) return true;
      if (at(outside_, e) == 0) {  // it lies within the new one
        absorb(e);
        return true;
      }
      beyond += at(outside_, e);
      return false;
    });
    std::erase_if(at(variables_, v), [&](index w) {
      if (at(weight_, w) == 0 || at(mark_, w) == in_element) return true;
      beyond += at(weight_, w);
      return false;
    });
    return beyond;
  }

  std::size_t hash_of(index v) {
    std::size_t sum = 0;
    for (const index e : at(elements_, v)) sum += static_cast<std::size_t>(e);
    for (const index w : at(variables_, v)) sum += static_cast<std::size_t>(w);
    return sum;
  }

  // Variables with the same elements and variables will be eliminated one after the other: they are one.
  void merge_alike(std::vector<std::pair<std::size_t, index>>& hashes) {
    std::sort(hashes.begin(), hashes.end());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const index v = hashes[i].second;
      if (at(weight_, v) == 0) continue;
      std::int64_t own = 0;
      for (std::size_t j = i + 1; j < hashes.size() && hashes[j].first == hashes[i].first; ++j) {
        const index w = hashes[j].second;
        if (at(weight_, w) == 0 || at(elements_, v).size() != at(elements_, w).size() ||
            at(variables_, v).size() != at(variables_, w).size())
          continue;
        if (own == 0) {
          own = fresh();
          for (const index e : at(elements_, v)) at(mark_, e) = own;
          for (const index u : at(variables_, v)) at(mark_, u) = own;
        }
        const auto marked = [&](index u) { return at(mark_, u) == own; };
        if (std::all_of(at(elements_, w).begin(), at(elements_, w).end(), marked) &&
            std::all_of(at(variables_, w).begin(), at(variables_, w).end(), marked)) {
          at(weight_, v) += at(weight_, w);
          join(v, w);
        }
      }
    }
  }

  void join(index to, index v) {
    auto& all = at(members_, to);
    auto& own = at(members_, v);
    all.insert(all.end(), own.begin(), own.end());
    own = {};
    at(weight_, v) = 0;
    at(variables_, v) = {};
    at(elements_, v) = {};
  }

  index size_;
  index left_ = 0;  // of all variables, by weight
  std::vector<std::vector<index>> variables_, elements_, members_;
  std::vector<index> weight_;  // how many variables it stands for; 0: eliminated, or part of another
  std::vector<index> degree_;
  std::vector<std::int64_t> outside_;
  std::vector<index> element_size_;
  std::vector<std::int64_t> mark_;
  std::int64_t last_mark_ = 0, counted_from_ = 0;
  std::vector<index> postponed_;
  degree_lists lists_;
};

}  // namespace

array<std::int32_t, host> approximate_minimum_degree(const adjacency& graph) {
  return elimination(graph).order();
}

}  // namespace sparsmith
