// How gcsb/tile's work is dealt out: all of it, once, in shares that cost the same.
#include "kernels/cuda/tile_shares.hpp"

#include <map>
#include <random>

#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

constexpr std::int32_t side = 256;

// Lines of tiles, some of them empty, with between 1 and 40 groups a tile.
tile_list random_tiles(unsigned seed, int lines) {
  std::mt19937 random(seed);
  tile_list list;
  std::int32_t first = 0;
  for (int line = 0; line < lines; ++line)
    for (unsigned tile = 0; tile < random() % 6; ++tile) {
      const auto groups = static_cast<std::int32_t>(1 + random() % 40);
      list.tiles.push_back({first, groups, static_cast<std::int32_t>(tile) * side, line * side});
      first += groups;
      list.groups += groups;
    }
  return list;
}

}  // namespace

TEST_CASE("shares have every group once, in order, and cost about the same") {
  for (const unsigned seed : {1u, 2u, 3u})
    for (const auto& [count, parts] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 0}, {2, 0}, {7, 0}, {50, 0}, {400, 0}, {1, 6}, {7, 6}, {50, 6}, {400, 6}}) {
      const tile_list list = random_tiles(seed, 30);
      constexpr std::int64_t piece_cost = 3;
      const tile_shares found = share_tiles(list, count, piece_cost, parts);
      REQUIRE(std::ssize(found.shares) == count);
      std::int64_t groups = 0, most = 0;
      std::int32_t piece = 0;
      for (const tile_share& share : found.shares) {
        if (share.pieces == 0) continue;
        CHECK(share.first_piece == piece);
        const bool same_first = share.first == found.pieces[static_cast<std::size_t>(piece)];
        CHECK(same_first);
        const bool same_second =
            share.pieces == 1 || share.second == found.pieces[static_cast<std::size_t>(piece) + 1];
        CHECK(same_second);
        CHECK(share.first_walked == groups);
        std::int64_t cost = 0;
        for (std::int32_t p = 0; p < share.pieces; ++p, ++piece) {
          const tile_piece& of = found.pieces[static_cast<std::size_t>(piece)];
          CHECK(of.first_group == groups);
          CHECK(of.groups > 0);
          groups += of.groups;
          cost += of.groups + piece_cost;
        }
        CHECK(share.first_walked + share.groups == groups);
        most = std::max(most, cost);
      }
      CHECK(groups == list.groups);
      CHECK(piece == std::ssize(found.pieces));
      const std::int64_t total = list.groups + (std::ssize(list.tiles) + count) * piece_cost;
      const std::int64_t even = total / count + 2 * piece_cost + 1;
      CHECK(most <= (parts == 0 ? even : even * 3 / 2));
    }
}

TEST_CASE("shares end where a line does if that is near") {
  tile_list list;  // lines that cost 60
  for (std::int32_t line = 0; line < 400; ++line)
    for (const std::int32_t groups : {10, 31, 10}) {
      list.tiles.push_back({static_cast<std::int32_t>(list.groups), groups, 0, line * side});
      list.groups += groups;
    }
  const auto most_of = [](const tile_shares& found) {
    std::int32_t most = 0;
    for (const tile_share& share : found.shares) most = std::max(most, share.groups);
    return most;
  };
  // 3.7 lines a share: three or four.
  const tile_shares whole = share_tiles(list, 108, 3, 6);
  CHECK(whole.visits == 400);
  CHECK(whole.slots == 0);
  CHECK(most_of(whole) == 4 * 51);
  CHECK(share_tiles(list, 108, 3).visits > 490);
  // 1.5 lines a share: an end is too far away half of the time.
  const tile_shares near = share_tiles(list, 267, 3, 6);
  CHECK(near.visits > 400);
  CHECK(near.visits < share_tiles(list, 267, 3).visits);
  CHECK(most_of(near) <= 2 * 51);
}

TEST_CASE("the visits of a line have slots of their own, next to each other") {
  for (const auto& [count, parts] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 0}, {5, 0}, {60, 0}, {5, 6}, {60, 6}}) {
    const tile_list list = with_all_lines(random_tiles(4, 20), 20 * side - 7, side);
    const tile_shares found = share_tiles(list, count, 3, parts);
    std::map<std::int32_t, std::vector<tile_piece>> of_line;  // the last piece of every visit
    for (const tile_share& share : found.shares)
      for (std::int32_t p = 0; p < share.pieces; ++p) {
        const tile_piece& piece = found.pieces[static_cast<std::size_t>(share.first_piece + p)];
        std::vector<tile_piece>& visits = of_line[piece.output];
        const bool same_visit = p > 0 && !visits.empty();
        if (same_visit) {
          CHECK(piece.visit == visits.back().visit);
          visits.back() = piece;
        } else {
          visits.push_back(piece);
        }
      }
    CHECK(of_line.size() == 20);
    std::int64_t slots = 0, all_visits = 0;
    for (const auto& [output, visits] : of_line) {
      all_visits += std::ssize(visits);
      for (std::size_t v = 0; v < visits.size(); ++v) {
        CHECK(visits[v].visits == visits.size());
        CHECK(visits[v].visit == v);
        if (visits.size() > 1) CHECK(visits[v].first_slot == slots);
      }
      if (visits.size() > 1) slots += std::ssize(visits);
    }
    CHECK(found.visits == all_visits);
    CHECK(found.slots == slots);
  }
}

TEST_CASE("lines without a tile get an empty one") {
  tile_list list;
  list.tiles = {{0, 5, 0, 2 * side}, {5, 2, side, 2 * side}, {7, 1, 0, 4 * side}};
  list.groups = 8;
  const tile_list all = with_all_lines(list, 5 * side + 1, side);
  std::vector<std::int32_t> outputs;
  for (const tile_piece& tile : all.tiles) outputs.push_back(tile.output / side);
  CHECK(outputs == std::vector<std::int32_t>{0, 1, 2, 2, 3, 4, 5});
  CHECK(all.groups == 8);
  const tile_shares found = share_tiles(all, 1, 3);
  CHECK(found.pieces.size() == 7);
}

TEST_CASE("the groups of a walk are where the tiles are stored") {
  tile_list list;
  list.tiles = {{40, 2, 0, 0}, {7, 3, side, 0}};
  list.groups = 5;
  CHECK(stored_groups(list) == std::vector<std::int32_t>{40, 41, 7, 8, 9});
  CHECK(stored_groups(with_all_lines(list, 4 * side, side)) == stored_groups(list));
}

TEST_CASE("a tile brings of x what its entries use, and nothing past the end") {
  gcsb_tile<std::int32_t, float, host> outline;
  outline.rows = 300;
  outline.cols = 2 * side + 10;
  outline.tile_height = outline.tile_width = side;
  const auto of = [](std::initializer_list<std::int32_t> items) {
    array<std::int32_t, host> copy(static_cast<std::int64_t>(items.size()));
    std::copy(items.begin(), items.end(), copy.begin());
    return copy;
  };
  outline.tile_rows = of({0, 0});
  outline.tile_cols = of({1, 2});
  outline.tile_offsets = of({0, 8, 12});
  outline.tiles_by_column = of({0, 1});
  array<used_inputs, host> used(2);
  used[0] = {8, 64};
  used[1] = {0, 16};
  const tile_list list = list_tiles(outline, false, used);
  REQUIRE(list.tiles.size() == 2);
  CHECK(list.tiles[0].input == side);
  CHECK(list.tiles[0].first_used == 8);
  CHECK(list.tiles[0].end_used == 64);
  CHECK(list.tiles[1].end_used == 10);
}
