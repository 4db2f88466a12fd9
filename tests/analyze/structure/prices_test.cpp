// The plan must say exactly what a conversion then does: bytes, slots, width and the peak of its memory.
#include "analyze/structure/prices.hpp"

#include "analyze/structure/block_statistics.hpp"
#include "convert/convert.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

// Half of a diagonal matrix is all of it, and has no price.
template <class Offset, class Value>
std::vector<format_kind> formats_to_price(const csr<Offset, Value, host>& m) {
  std::vector<format_kind> formats = formats_for(m);
  bool diagonal = true;
  for (std::int32_t row = 0; row < m.rows; ++row)
    for (Offset e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
      diagonal = diagonal && m.col_indices[e] == row;
  if (diagonal) std::erase_if(formats, [](format_kind format) { return whole_of(format).has_value(); });
  return formats;
}

}  // namespace

TEST_CASE("the plan's bytes are the converted bytes") {
  const openmp on;
  for (const auto& source : battery())
    for_each_type([&]<class Offset, class Value>() {
      const auto m = coo_to_csr<openmp, Offset, Value>(on, as_coo_of<Value>(source), nullptr);
      conversion_options thesis{{5, 12}, 3, no_limit, 3, 2, {}}, small{{8, 8}, 1, no_limit, 1, 5, {}};
      thesis.blocks.beta = 16;
      thesis.blocks.thesis = true;
      thesis.blocks.group_size = 4;
      small.blocks.beta = 4;
      small.blocks.window = 5;
      small.blocks.group_size = 3;
      small.blocks.index_bits = 32;
      small.blocks.holding = ecsb_holding::hybrid;
      thesis.dia_share = 0.3;
      small.dia_share = 0.001;
      for (const conversion_options& options :
           {conversion_options{{32, 1024}, -1, no_limit}, thesis, small}) {
        if (options.blocks.thesis && std::int64_t{source.rows} * source.cols > 100'000'000) continue;
        plan_request request;
        request.options = options;
        request.betas = {options.blocks.beta};
        request.blocks = {options.bsr_block};
        const auto plan = plan_formats<openmp, Offset, Value>(on, view(m), request);
        const auto formats = formats_to_price(m);
        REQUIRE(plan.size() == formats.size());
        for (std::size_t f = 0; f < plan.size(); ++f) {
          INFO(source.name << " as " << name_of(plan[f].format));
          CHECK(plan[f].format == formats[f]);
          reset_peak_bytes(place::host);
          const std::int64_t before = peak_bytes(place::host) - bytes(m);
          const auto converted = from_csr<openmp, Offset, Value>(on, view(m), formats[f], options, nullptr);
          const std::int64_t peak = peak_bytes(place::host) - before;
          const std::int64_t size = std::visit([](const auto& c) { return bytes(c); }, converted);
          CHECK(plan[f].exact == !is_in_tiles(plan[f].format));
          if (plan[f].exact) {
            CHECK(size == plan[f].bytes);
            CHECK(peak == plan[f].peak_bytes);
          } else {
            CHECK(size >= plan[f].bytes);
            CHECK(peak >= plan[f].peak_bytes);
          }
        }
      }
    });
}

TEST_CASE("DIA is priced with the stored zeros of its diagonals, and without those of its rest") {
  named_matrix source{"", 10, 10, {{0, 7, 0.0}, {2, 9, 3.0}}};
  for (std::int32_t i = 0; i < 10; ++i) source.entries.push_back({i, i, i == 4 ? 0.0 : 1.0});
  const auto m = coo_to_csr<openmp, std::int32_t, double>({}, as_coo_of<double>(source), nullptr);
  plan_request request;
  request.options.dia_share = 0.5;
  for (const format_cost& cost : plan_formats<openmp, std::int32_t, double>({}, view(m), request)) {
    if (cost.format != format_kind::dia) continue;
    const auto made = csr_to_dia<openmp, std::int32_t, double>({}, view(m), 0.5, no_limit, nullptr);
    CHECK(made.zero_slots.size() == 1);
    CHECK(made.rest_values.size() == 2);
    CHECK(cost.bytes == bytes(made));
  }
}

namespace {

// The conversion that a price names takes what the price says. Decided options decide as open ones do:
// `asked` gives the same.
template <class Offset, class Value>
void check_price(const csr<Offset, Value, host>& m, const format_cost& cost,
                 const conversion_options& asked) {
  INFO(name_of(cost.format) << ", beta " << cost.beta());
  const auto made = from_csr<openmp, Offset, Value>({}, view(m), cost.format, cost.options, nullptr);
  const format_summary size = summary_of(made);
  if (cost.exact) {
    CHECK(size.bytes == cost.bytes);
    CHECK(size.slots == cost.slots);
  } else {
    CHECK(size.bytes >= cost.bytes);
    CHECK(size.slots >= cost.slots);
  }
  const auto same = from_csr<openmp, Offset, Value>({}, view(m), cost.format, asked, nullptr);
  const bool identical_to_asked = std::visit(
      [&](const auto& c) { return identical(c, std::get<std::remove_cvref_t<decltype(c)>>(same)); }, made);
  CHECK(identical_to_asked);
}

}  // namespace

TEST_CASE("a price names the conversion that it prices") {
  const openmp on;
  conversion_options thesis, windows;
  thesis.blocks.thesis = true;
  windows.blocks.window = 4;
  windows.hyb_width = 2;
  std::size_t checked = 0;
  for (const auto& source : battery())
    for_each_type([&]<class Offset, class Value>() {
      INFO(source.name << ", offset " << sizeof(Offset) << ", value " << sizeof(Value));
      const auto m = coo_to_csr<openmp, Offset, Value>(on, as_coo_of<Value>(source), nullptr);
      for (const conversion_options& options : {conversion_options{}, thesis, windows}) {
        if (options.blocks.thesis && std::int64_t{source.rows} * source.cols > 100'000'000) continue;
        plan_request request;
        request.options = options;
        request.blocks = {{2, 3}, {4, 4}};
        request.chosen_block = {5, 1};
        request.betas = {4, 64, 512};
        for (const format_cost& cost : plan_formats<openmp, Offset, Value>(on, view(m), request)) {
          REQUIRE(cost.possible());
          CHECK_FALSE(cost.wide_offsets);
          if (!cost.allowed) continue;
          conversion_options asked = options;
          asked.bsr_block = cost.options.bsr_block;
          asked.blocks.beta = cost.options.blocks.beta;
          check_price(m, cost, asked);
          ++checked;
        }
      }
    });
  CHECK(checked > 1000);
}

TEST_CASE("prices of blocks that only 64-bit offsets count") {
  const openmp on;
  const named_matrix source = random_matrix("very large", 200'000, 150'000, 3000, 12);
  const auto narrow = coo_to_csr<openmp, std::int32_t, double>(on, as_coo(source), nullptr);
  const auto wide = coo_to_csr<openmp, std::int64_t, double>(on, as_coo(source), nullptr);
  plan_request request;
  request.options.max_fill = no_limit;
  request.betas = {2};
  request.tile = false;
  std::size_t blocked = 0;
  for (const format_cost& cost : plan_formats<openmp, std::int32_t, double>(on, view(narrow), request)) {
    CHECK(cost.wide_offsets == (cost.beta() == 2));
    if (!cost.wide_offsets) continue;
    ++blocked;
    conversion_options asked = request.options;
    asked.blocks.beta = 2;
    check_price(wide, cost, asked);
  }
  CHECK(blocked == 3);
  for (const format_cost& cost : plan_formats<openmp, std::int64_t, double>(on, view(wide), request))
    CHECK_FALSE(cost.wide_offsets);

  request.options.blocks.window = 3;  // the blocks would have to be listed
  for (const format_cost& cost : plan_formats<openmp, std::int32_t, double>(on, view(narrow), request)) {
    if (cost.beta() == 0) continue;
    CHECK_FALSE(cost.possible());
    CHECK_FALSE(cost.allowed);
    CHECK(cost.wide_offsets);
    CHECK(cost.problem == "needs 64-bit offsets");
    CHECK(cost.options.blocks.beta == 2);
  }
}

TEST_CASE("the plan says what --max-fill would refuse") {
  named_matrix m{"one long row", 100, 100, {}};
  for (int i = 0; i < 100; ++i) m.entries.push_back({0, i, 1});
  const auto c = coo_to_csr<openmp, std::int32_t, double>({}, as_coo(m), nullptr);
  const auto plan = plan_formats<openmp, std::int32_t, double>({}, view(c), {});
  CHECK(plan[3].format == format_kind::ell);
  CHECK_FALSE(plan[3].allowed);
  CHECK(plan[3].fill == 100);
  CHECK(plan[5].allowed);  // hyb: width 0, everything in the rest
  plan_request just_as_much;
  just_as_much.options.max_fill = 100;
  CHECK(plan_formats<openmp, std::int32_t, double>({}, view(c), just_as_much)[3].allowed);
  CHECK(from_csr<openmp, std::int32_t, double>({}, view(c), format_kind::ell, just_as_much.options, nullptr)
            .index() == static_cast<std::size_t>(format_kind::ell));
}

static array<std::int32_t, host> array_of(std::initializer_list<std::int32_t> numbers) {
  array<std::int32_t, host> result(static_cast<std::int64_t>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), result.begin());
  return result;
}

TEST_CASE("block statistics by hand") {
  const auto counts = array_of({1, 8, 3, 2, 2, 5});
  const auto s = summarize_blocks(counts, 10, 4, 0);
  CHECK(s.blocks == 6);
  CHECK(s.empty_blocks == 4);
  CHECK(s.entries.least == 1);
  CHECK(s.entries.lower_quartile == 2);
  CHECK(s.entries.median == 2);
  CHECK(s.entries.upper_quartile == 5);
  CHECK(s.entries.most == 8);
  // 1 | 2 3 2 | 5 | 8
  CHECK(s.histogram == std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {2, 3}, {4, 1}, {8, 1}});
  // 8 5 3 2 | 2 1: 32 slots with 14 padded, 8 slots with 5 padded
  CHECK(s.groups == 2);
  CHECK(s.slots == 40);
  CHECK(s.padded_slots == 19);
  CHECK(s.group_longest.most == 8);
  CHECK(s.group_longest.least == 2);
  CHECK(s.group_shortest.most == 2);
  CHECK(s.group_shortest.least == 1);
  CHECK(s.group_mean.most == 4.5);
  CHECK(s.group_mean.least == 1.5);
  CHECK(s.groups_with_half_the_padding == 0.5);
  CHECK(s.group_longest.lower_quartile == 2);
  CHECK(s.group_longest.median == 2);
  CHECK(s.group_longest.upper_quartile == 8);
  // Quarters of eight end at the second, the fourth and the sixth, and those of five within one.
  const auto eight = summarize_blocks(array_of({10, 20, 30, 40, 50, 60, 70, 80}), 8, 0, 0).entries;
  CHECK(eight.lower_quartile == 20);
  CHECK(eight.median == 40);
  CHECK(eight.upper_quartile == 60);
  const auto five = summarize_blocks(array_of({50, 40, 30, 20, 10}), 5, 0, 0).entries;
  CHECK(five.lower_quartile == 20);
  CHECK(five.median == 30);
  CHECK(five.upper_quartile == 40);
  CHECK(summarize_blocks(array_of({7}), 1, 0, 0).entries.upper_quartile == 7);
  // 1 9 | 1 9, apart 9 1 | 9 1, and together 9 9 | 1 1
  CHECK(summarize_blocks(array_of({1, 9, 1, 9}), 4, 2, 2).slots == 36);
  CHECK(summarize_blocks(array_of({1, 9, 1, 9}), 4, 2, 0).slots == 20);
  // 9 1 | 9 1: one of two groups has half of the padding.
  CHECK(summarize_blocks(array_of({1, 9, 1, 9}), 4, 2, 2).groups_with_half_the_padding == 0.5);
  // windows of three: 8 3 1 | 5 2 2, groups 8 3 1 5 | 2 2
  CHECK(summarize_blocks(counts, 10, 4, 3).slots == 40);
  CHECK(summarize_blocks(counts, 10, 0, 0).groups == 0);
  CHECK(summarize_blocks({}, 5, 4, 0).empty_blocks == 5);
  // Of six tiles two are stored, 5 and 3 steps long, and two lanes each; one is in the rest.
  const auto lanes = array_of({4, 2, 3, 3});
  gcsb_tile<std::int32_t, float, host> m;
  m.rows = 300;
  m.cols = 700;
  m.tile_height = m.tile_width = 256;
  m.group_size = 2;
  m.tile_offsets = array_of({0, 5, 8});
  m.rest_row_indices = array_of({256, 270, 299});
  m.rest_col_indices = array_of({255, 0, 17});
  const auto t = summarize_tiles(lanes, m);
  CHECK(t.blocks == 2);
  CHECK(t.rest_blocks == 1);
  CHECK(t.rest_entries == 3);
  CHECK(t.empty_blocks == 3);
  CHECK(t.entries.most == 6);
  CHECK(t.groups == 2);
  CHECK(t.group_steps.most == 5);
  CHECK(t.slots == 16);
  CHECK(t.padded_slots == 4);
  CHECK(t.group_mean.least == 3);
  CHECK(t.groups_with_half_the_padding == 0.5);
}
