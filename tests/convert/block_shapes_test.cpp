// The blocks of all shapes, counted in one pass, against sets of blocks and against counting one shape.
#include <set>

#include "convert/pipelines/structure.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

// Every shape that is to be counted, in order.
std::vector<shape_count> count_slowly(const named_matrix& m) {
  std::vector<shape_count> shapes;
  for (std::int32_t cols = 1; cols <= 8; ++cols)
    for (std::int32_t rows = 1; rows <= 8; ++rows) shapes.push_back({{rows, cols}, 0});
  shapes.push_back({{16, 16}, 0});
  shapes.push_back({{32, 32}, 0});
  for (shape_count& shape : shapes) {
    std::set<std::pair<std::int32_t, std::int32_t>> blocks;
    for (const triplet& t : m.entries) blocks.emplace(t.row / shape.size.rows, t.col / shape.size.cols);
    shape.blocks = static_cast<std::int64_t>(blocks.size());
  }
  return shapes;
}

}  // namespace

TEST_CASE("blocks of all shapes in one pass") {
  auto matrices = battery();
  matrices.push_back(random_matrix("long rows", 40, 3000, 60000, 8));
  matrices.push_back(random_matrix("short rows", 5000, 300, 12000, 9));
  for (const auto& source : matrices) {
    INFO(source.name);
    const auto expected = count_slowly(source);
    for_each_type([&]<class Offset, class Value>() {
      const auto m = coo_to_csr<openmp, Offset, Value>({}, as_coo_of<Value>(source), nullptr);
      for (const int threads : {1, 2, 3, 7, 0}) {
        set_thread_count(threads);
        INFO(threads << " threads");
        CHECK(count_block_shapes(openmp{}, pattern_of(m)) == expected);
      }
    });
    const auto m = coo_to_csr<openmp, std::int32_t, double>({}, as_coo(source), nullptr);
    for (const shape_count& shape : expected)
      CHECK(count_nonempty_blocks(openmp{}, pattern_of(m), shape.size) == shape.blocks);
  }
}
