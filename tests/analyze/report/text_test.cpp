// Names, tables and prices as text: compared as it stands.
#include "analyze/report/text.hpp"

#include "analyze/report/describe.hpp"
#include "analyze/report/feature_text.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

format_cost priced(format_kind format) {
  format_cost cost{format};
  cost.bytes = 100;
  return cost;
}

}  // namespace

TEST_CASE("matrices are called by their files, with folders where that takes them") {
  CHECK(name_of_input("/a/b/m.mtx.gz") == "m.mtx.gz");
  CHECK(name_of_input("/m.mtx") == "m.mtx");
  CHECK(name_of_input("m.mtx") == "m.mtx");
  CHECK(name_of_input("gen:uniform?n=8&density=1/2") == "gen:uniform?n=8&density=1/2");
  using names = std::vector<std::string>;
  CHECK(names_of_inputs({"a/x/m.mtx", "b/x/m.mtx", "b/x/n.mtx", "m.mtx", "gen:rmat"}) ==
        names{"a/x/m.mtx", "b/x/m.mtx", "n.mtx", "m.mtx", "gen:rmat"});
  CHECK(names_of_inputs({"/data/a/m.mtx", "/data/b/m.mtx"}) == names{"a/m.mtx", "b/m.mtx"});
  CHECK(names_of_inputs({"a/m.mtx", "a/m.mtx"}) == names{"m.mtx", "m.mtx"});
}

TEST_CASE("nothing of nothing is no share") {
  CHECK(share_of(1, 4) == 0.25);
  CHECK(share_of(0, 0) == 0);
}

TEST_CASE("columns are those that a terminal gives") {
  CHECK(display_width("") == 0);
  CHECK(display_width("A^T x") == 5);
  CHECK(display_width("h\u00f6he") == 4);
  CHECK(display_width("ho\u0308he") == 4);
  CHECK(display_width("\u884c\u5217") == 4);
  CHECK(shortened("\u884c\u5217\u884c\u5217", 6) == "\u884c...");
  CHECK(shortened("matrix", 2) == "...");
}

TEST_CASE("fields of CSV are quoted") {
  CHECK(csv_quoted("") == "\"\"");
  CHECK(csv_quoted("a, \"b\"\n") == "\"a, \"\"b\"\"\n\"");
  // Nothing that a spreadsheet would run.
  for (const std::string formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"})
    CHECK(csv_quoted(formula) == "\"'" + formula + "\"");
  CHECK(csv_quoted("=\"") == "\"'=\"\"\"");
  for (const std::string text : {"a=1", "1-2", " =1", "'"}) CHECK(csv_quoted(text) == "\"" + text + "\"");
}

TEST_CASE("text is broken between words, and tables between columns") {
  CHECK(labelled_text("label", "one two three", 80) == "label    one two three\n");
  CHECK(labelled_text("label", "one two three", 16) == "label    one two\n         three\n");
  CHECK(labelled_text("label", "no-room-here x", 16) == "label    no-room\n         -here x\n");
  CHECK(wrapped("1: ", "one two three", 2, 10) == "1: one two\n  three\n");
  CHECK(wrapped("", "\x1b[2J", 0, 10) == "\\x1b[2J\n");
  CHECK(shortened("twelve", 6) == "twelve");
  CHECK(shortened("\u03b2eta and more", 7) == "\u03b2eta...");
  CHECK(term_text("  --to", "what to make", 8, 80) == "  --to  what to make\n");
  CHECK(term_text("  --to", "what to make", 8, 16) == "  --to  what to\n        make\n");
  CHECK(term_text("  --longer", "what to make", 8, 80) == "  --longer\n        what to make\n");
  CHECK(broken_command({"spconv", "gen:rmat?scale=9", "--plan"}, 40) ==
        "  spconv 'gen:rmat?scale=9' --plan\n");
  CHECK(broken_command({"spconv", "gen:rmat?scale=9", "--plan"}, 30) ==
        "  spconv 'gen:rmat?scale=9' \\\n    --plan\n");
  const std::vector<table_line> lines = {{"name", "β", "entries"}, {"a", "10", "1,000"}};
  CHECK(text_table(lines, 80) == "name   β  entries\na     10    1,000\n");
  CHECK(text_table(lines, 80, {"", "note"}) == "name   β  entries\na     10    1,000  note\n");
  // A note goes on below itself, or below its line where there is too little room beside it.
  CHECK(text_table(lines, 38, {"", "a note that is long enough"}) ==
        "name   β  entries\na     10    1,000  a note that is long\n                   enough\n");
  CHECK(text_table(lines, 30, {"", "a note that is long enough"}) ==
        "name   β  entries\na     10    1,000\n    a note that is long enough\n");
  CHECK(text_table(lines, 12) == "name   β\na     10\n\nname  entries\na       1,000\n");
  CHECK(room_for_notes(lines, 80) == 80 - 4 - 2 - 2 - 2 - 7 - 2);
}

TEST_CASE("a price in words") {
  using pieces = std::vector<std::string>;
  for (const format_kind plain : {format_kind::coo, format_kind::csr, format_kind::csc}) {
    CHECK(describe(priced(plain)).empty());
    CHECK(describe_in_one_line(priced(plain)).empty());
  }
  format_cost ell = priced(format_kind::ell);
  ell.width = 18;
  CHECK(describe(ell) == pieces{"width 18"});
  CHECK(describe(priced(format_kind::sell)) == pieces{"slice 32", "sigma 1024"});
  format_cost hyb = priced(format_kind::hyb);
  hyb.width = 5;
  hyb.rest = 2;
  CHECK(describe_in_one_line(hyb) == "width 5, rest 2");
  format_cost bsr = priced(format_kind::bsr);
  bsr.blocks = 812;
  CHECK(describe(bsr) == pieces{"4 x 4", "812 blocks"});
  bsr.chosen_block = true;
  CHECK(describe_in_one_line(bsr) == "4 x 4, 812 blocks, auto");

  format_cost blocked = priced(format_kind::csb);
  blocked.blocks = 12;
  CHECK(describe_in_one_line(blocked) == "beta 32, 12 blocks");
  blocked.wide_offsets = true;
  CHECK(describe_in_one_line(blocked) == "beta 32, 12 blocks, 64-bit offsets");
  blocked.format = format_kind::gcsb;
  CHECK(describe_in_one_line(blocked) == "beta 32, group 32, 12 blocks, 64-bit offsets");
  blocked.problem = "needs 64-bit offsets";
  CHECK(describe(blocked) == pieces{"beta 32: needs 64-bit offsets"});
  format_cost ecsb = priced(format_kind::ecsb);
  ecsb.options.blocks.holding = ecsb_holding::hybrid;
  CHECK(describe(ecsb) == pieces{"beta 32", "hybrid"});

  format_cost tile = priced(format_kind::gcsb_tile);
  tile.options.tile.height = 512;
  tile.options.tile.width = 1024;
  tile.blocks = 40;
  tile.renumbered = true;
  tile.exact = false;
  CHECK(describe(tile) == pieces{"512 x 1024", "32 lanes", "40 tiles", "renumbered"});
  CHECK(describe_in_one_line(tile) == "512 x 1024, 32 lanes, 40 tiles, renumbered, at least");
  tile.problem = "not enough memory";
  CHECK(describe_in_one_line(tile) == "not enough memory");
}

TEST_CASE("a matrix that was made, in the words its format is asked for with") {
  using pieces = std::vector<std::string>;
  CHECK(describe(format_kind::csr, {}).empty());
  CHECK(describe(format_kind::hyb, {{"width", 3}}) == pieces{"width 3"});
  CHECK(describe(format_kind::bsr, {{"block_rows", 4}, {"block_cols", 2}}) == pieces{"4 x 2"});
  CHECK(describe(format_kind::csb, {{"beta", 32}, {"order", 0}, {"dense_blocks", 0}}) ==
        pieces{"beta 32", "order morton"});
  CHECK(describe(format_kind::csb, {{"beta", 32}, {"order", 2}, {"dense_blocks", 1}}) ==
        pieces{"beta 32", "order diagonal", "layout thesis"});
  CHECK(describe(format_kind::ecsb, {{"beta", 8}, {"order", 1}, {"holding", 2}, {"width", 5}}) ==
        pieces{"beta 8", "order row", "hybrid", "width 5"});
  CHECK(describe(format_kind::ecsb, {{"beta", 8}, {"order", 1}, {"holding", 0}, {"width", 0}}) ==
        pieces{"beta 8", "order row", "coo"});
  format_parameters gcsb = {{"beta", 32},  {"group_size", 7},   {"order", 0},
                            {"window", 0}, {"dense_blocks", 0}, {"filled_blocks", 100}};
  CHECK(describe(format_kind::gcsb, gcsb) == pieces{"beta 32", "group 7", "order morton"});
  gcsb[3].second = 10;
  CHECK(describe(format_kind::gcsb, gcsb) == pieces{"beta 32", "group 7", "order morton", "window 10"});
  CHECK(describe(format_kind::gcsb_tile, {{"tile_height", 512},
                                          {"tile_width", 1024},
                                          {"group_size", 32},
                                          {"renumbered", 1},
                                          {"rest_below", 64}}) ==
        pieces{"512 x 1024", "32 lanes", "renumbered", "rest below 64"});
}

TEST_CASE("what does not fit behind a price is left out, and the verdict comes first") {
  matrix_features f;
  f.name = "folder/a-name-that-is-much-longer-than-a-column.mtx";
  f.rows = f.cols = f.entries = 10;
  f.symmetry = {6, 6, 3, 0};
  format_cost tile = priced(format_kind::gcsb_tile);
  tile.options.tile.height = tile.options.tile.width = 256;
  tile.blocks = 1;
  tile.exact = false;
  format_cost sell = priced(format_kind::sell);
  sell.allowed = false;
  f.formats = {priced(format_kind::csr), sell, tile};
  text_options options;
  CHECK(has(features_as_text(f, options), "at least, 256 x 256, 32 lanes, 1 tile\n"));
  CHECK(has(features_as_text(f, options), "too much fill, slice 32, sigma 1024\n"));
  options.shown.width = 62;
  CHECK(has(features_as_text(f, options), "at least, 256 x 256, 32 lanes\n"));
  CHECK(
      has(features_as_text(f, {}), "100 % of those off the diagonal have a mirror image, 50 % of the same"));

  const std::string table = comparison_as_text({f, f}, 200);
  CHECK(has(table, "a-name-that-is-much-longe...  "));
  CHECK(has(table, "fewest bytes  x CSR\n"));
  CHECK(has(table, "csr  1.000\n"));
}
