// What copies of a matrix share: the arrays behind one type, and what kernels prepared. Not installed.
#pragma once

#include <mutex>

#include "convert/convert.hpp"
#include "convert/io/matrix_market.hpp"
#include "kernels/kernel.hpp"
#include "tools/library/gpu.hpp"
#include "tools/library/matrix.hpp"

namespace sparsmith::library {

// A kernel's number is its place in the table; these stand for none.
constexpr int default_choice = -1, two_products = -2;

// A kernel ready for one operation on one stream, or what two products in its place need beside them. One run
// at a time.
struct prepared_product {
  int kernel = 0;
  operation op = operation::multiply;
  bool adjoint = false;   // of what is transposed
  vector_layout as = {};  // of several vectors; one, where it was prepared for one
  void* stream = nullptr;
  std::unique_ptr<const waiting_stream> beside =
      {};  // what it really runs on, where `stream` is non-blocking
  std::int64_t bytes = 0;
  std::function<void(factor alpha, factor beta, void* const* vectors)> run = {};  // x, y or x, w, y, z
  // Of several vectors.
  std::function<void(factor alpha, factor beta, const void* x, std::int64_t x_stride, void* y,
                     std::int64_t y_stride)>
      run_many = {};
  std::shared_ptr<void> between = {};  // A x of A^T (A x), where that is two products
  std::mutex running = {};
};

struct matrix_state {
  element_types types;
  place where = place::host;
  format_kind kind = format_kind::csr;
  std::int64_t rows = 0, cols = 0, entries = 0;
  std::string name = "matrix";
  bool can_be_read = false;  // by that name: a file or a generator
  format_summary size;
  bool borrowed = false;
  assembly_report assembly;
  matrix_kind source;                 // as which it came, for files it is written to
  std::shared_ptr<const void> owner;  // any_format<Offset, Value, Space>; nothing where it is borrowed
  std::shared_ptr<const void> views;  // any_format<Offset, Value, view_of<Space>>

  // What is found and prepared on the way.
  mutable std::mutex mutex;
  mutable std::array<int, 4> defaults = {default_choice, default_choice, default_choice, default_choice};
  mutable std::vector<std::shared_ptr<prepared_product>> prepared;
};
using shared_state = std::shared_ptr<const matrix_state>;

template <class Backend, class Offset, class Value>
using views_on = any_format<Offset, Value, view_on<Backend>>;
template <class Backend, class Offset, class Value>
using owner_on = any_format<Offset, Value, space_on<Backend>>;

// use.operator()<Offset, Value>(backend, views) with what the state holds.
template <class Use>
decltype(auto) with_matrix(const matrix_state& s, Use&& use) {
  return on_backend(s.where == place::device, [&](auto on) -> decltype(auto) {
    return with_any_types(s.types, [&]<class Offset, class Value>() -> decltype(auto) {
      return use.template operator()<Offset, Value>(
          on, *static_cast<const views_on<decltype(on), Offset, Value>*>(s.views.get()));
    });
  });
}

// Of views that the new state's owner, or somebody else, keeps alive.
template <class Backend, class Offset, class Value>
std::shared_ptr<matrix_state> state_of(views_on<Backend, Offset, Value> views) {
  auto state = std::make_shared<matrix_state>();
  state->types = {sizeof(Offset) == 8, sizeof(typename part_of_value<Value>::type) == 4, is_complex<Value>};
  state->where = space_on<Backend>::where;
  state->kind = static_cast<format_kind>(views.index());
  std::visit(
      [&](const auto& m) {
        state->rows = rows_of(m);
        state->cols = cols_of(m);
        state->size = {bytes(m), slots(m), parameters_of(m)};
      },
      views);
  state->views = std::make_shared<const views_on<Backend, Offset, Value>>(std::move(views));
  return state;
}

// Waits for what fills the arrays: whoever uses them next may do so on any stream.
template <class Backend, class Offset, class Value>
std::shared_ptr<matrix_state> state_owning(Backend on, owner_on<Backend, Offset, Value>&& made,
                                           std::int64_t entries) {
  auto owner = std::make_shared<const owner_on<Backend, Offset, Value>>(std::move(made));
  synchronize(on);
  auto state = state_of<Backend, Offset, Value>(
      std::visit([](const auto& m) -> views_on<Backend, Offset, Value> { return view(m); }, *owner));
  state->owner = std::move(owner);
  state->entries = entries;
  return state;
}

// A matrix as CSR: as it is, or converted for as long as this lives.
template <class Backend, class Offset, class Value>
struct as_csr {
  csr<Offset, Value, space_on<Backend>> made;
  csr<Offset, Value, view_on<Backend>> shown;

  as_csr(Backend on, const matrix_state& s) {
    const auto& views = *static_cast<const views_on<Backend, Offset, Value>*>(s.views.get());
    if (const auto* const as_it_is = std::get_if<csr<Offset, Value, view_on<Backend>>>(&views)) {
      shown = *as_it_is;
    } else {
      made = to_csr<Backend, Offset, Value>(
          on, *static_cast<const owner_on<Backend, Offset, Value>*>(s.owner.get()), nullptr);
      shown = view(made);
    }
  }
  as_csr(const as_csr&) = delete;
};

// What a copy of a matrix is told about where that came from.
inline void inherit(matrix_state& state, const matrix_state& from) {
  state.name = from.name;
  state.can_be_read = from.can_be_read;
  state.assembly = from.assembly;
  state.source = from.source;
}

// Where a matrix is to be, from what was asked for. Throws failure::device where there is no GPU for it.
place place_for(run_on where);

matrix convert_as(const matrix& a, format_kind format, const conversion_options& options, bool wide_offsets);

}  // namespace sparsmith::library
