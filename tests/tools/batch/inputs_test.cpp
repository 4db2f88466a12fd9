// What folders, patterns, lists and single names come to.
#include "tools/batch/inputs.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>

#include "convert/error.hpp"
#include "tests/tools/process.hpp"

namespace fs = std::filesystem;
using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

// The folder is where the process is until the end, so that names are as a user types them.
struct collection : temporary_folder {
  fs::path before = fs::current_path();
  collection() : temporary_folder("batch_inputs_test") { fs::current_path(path); }
  ~collection() { fs::current_path(before); }
  void file(const std::string& name, const std::string& text = "") const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
  }
};

using names = std::vector<std::string>;

names paths_of(const found_inputs& found) {
  names paths;
  for (const batch_input& input : found.inputs) paths.push_back(input.path);
  return paths;
}

names paths_in(const names& typed, const names& lists = {}, const fs::path& results = "results") {
  return paths_of(find_inputs({typed, lists, results}));
}

std::string refusal(const names& typed, const names& lists = {}) {
  try {
    find_inputs({typed, lists, "results"});
  } catch (const error& problem) {
    CHECK(problem.category() == failure::input);
    return problem.what();
  }
  return "taken";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a folder is searched to its bottom, by name") {
  const collection here;
  for (const char* const name : {"m/b.mtx", "m/a.mtx.gz", "m/deep/er/c.npz", "m/B.h5", "m/t.tar.gz",
                                 "m/x.mtx.zst", "m/readme.md", "m/notes.txt", "m/mtx", "m/none.mtx.part"})
    here.file(name);
  const found_inputs found = find_inputs({{"m"}, {}, "results"});
  CHECK(paths_of(found) ==
        names{"m/B.h5", "m/a.mtx.gz", "m/b.mtx", "m/deep/er/c.npz", "m/t.tar.gz", "m/x.mtx.zst"});
  CHECK(found.inputs[3].name == "deep/er/c.npz");  // as seen from the folder
  CHECK(found.passed_over.files == 4);
  CHECK(found.problems.empty());
  CHECK(paths_in({"m/"}) ==
        names{"m/B.h5", "m/a.mtx.gz", "m/b.mtx", "m/deep/er/c.npz", "m/t.tar.gz", "m/x.mtx.zst"});
  fs::create_directory("empty");
  CHECK(paths_in({"empty"}).empty());
}

TEST_CASE("all endings of matrices, and no others") {
  const collection here;
  const names endings = {".h5",     ".h5ad",   ".hdf5",    ".mat", ".mm",  ".mtx",    ".mtx.bz2",
                         ".mtx.gz", ".mtx.xz", ".mtx.zst", ".npz", ".tar", ".tar.gz", ".tgz"};
  names expected;
  for (const std::string& ending : endings) {
    here.file("m/x" + ending);
    expected.push_back("m/x" + ending);
    here.file("m/x" + ending + "x");
  }
  for (const char* const other : {"m/a.gz", "m/a.zip", "m/a.txt", "m/a.mtx~"}) here.file(other);
  CHECK(paths_in({"m"}) == expected);
  CHECK(find_inputs({{"m"}, {}, "results"}).passed_over.files ==
        static_cast<std::int64_t>(endings.size()) + 4);
}

TEST_CASE("the index of a collection is found, and is no matrix") {
  const collection here;
  for (const char* const name : {"m/a.mtx", "m/HB/b.mtx", "m/ssstats.csv", "n/c.mtx", "own.csv", "n/x.csv"})
    here.file(name);
  const auto index_of = [](const names& typed, const std::string& named = "") {
    return find_inputs({typed, {}, "results", named}).index;
  };
  const found_inputs found = find_inputs({{"m"}, {}, "results"});
  CHECK(found.index == "m/ssstats.csv");
  CHECK(paths_of(found) == names{"m/HB/b.mtx", "m/a.mtx"});
  CHECK(found.passed_over.files == 0);
  CHECK(index_of({"m/HB"}) == (fs::canonical(here.path) / "m/ssstats.csv").string());  // above the folder
  CHECK(index_of({"n"}).empty());
  CHECK(index_of({"n", "m/"}) == "m/ssstats.csv");
  // Among the files of a pattern, whoever expands it.
  CHECK(index_of({"m/[as]*"}) == "m/ssstats.csv");
  CHECK(paths_in({"m/*"}) == names{"m/HB/b.mtx", "m/a.mtx"});
  CHECK(paths_in({"m/ssstats.csv", "m/a.mtx"}) == names{"m/a.mtx"});
  // The one that is named counts, whatever it is called.
  CHECK(index_of({"m"}, "own.csv") == "own.csv");
  CHECK(paths_of(find_inputs({{"n/*"}, {}, "results", "n/x.csv"})) == names{"n/c.mtx"});
  fs::create_directory("m/HB/ssstats.csv");  // no file
  CHECK(index_of({"m/HB"}) == (fs::canonical(here.path) / "m/ssstats.csv").string());
}

TEST_CASE("what is passed over is counted by kind, each file once, and told in one line") {
  const collection here;
  for (const char* const name :
       {"m/a.mtx", "m/1.png", "m/2.PNG", "m/deep/3.png", "m/a.csv.gz", "m/a.csv", "m/README", "m/part.00017",
        "m/dir. b", "m/a.mtx~", "m/gz.gz", "m/.hidden.png", "n/4.png", "results/b.png"})
    here.file(name);
  using kinds = std::vector<passed_over_files::kind>;
  const found_inputs found = find_inputs({{"m"}, {}, "results"});
  CHECK(found.passed_over.kinds ==
        kinds{{"", 3}, {".png", 3}, {".csv", 1}, {".csv.gz", 1}, {".gz", 1}, {".mtx~", 1}});
  CHECK(found.passed_over.files == 10);
  CHECK(passed_over_text(found.passed_over) ==
        "passed over in m: 3 without an ending, 3 .png, 1 .csv, 1 .csv.gz, 1 .gz, 1 .mtx~");
  // Whatever paths a folder is named by; a folder without others is none of those.
  here.file("none/b.mtx");
  const passed_over_files twice =
      find_inputs({{"m/deep", "./m", "m", "none", "m/*"}, {}, "results"}).passed_over;
  CHECK(twice.files == 10);
  CHECK(twice.folders == names{"m/deep", "./m"});
  CHECK(passed_over_text(find_inputs({{"m", "n"}, {}, "results"}).passed_over)
            .starts_with("passed over in 2 folders: 4 .png, 3 without an ending, 1 .csv"));
  CHECK(passed_over_text(find_inputs({{"none"}, {}, "results"}).passed_over).empty());
  // A handful of kinds is told, most first, and the others are summed up.
  for (int kind = 0; kind < 7; ++kind)
    for (int file = 0; file <= kind; ++file)
      here.file("k/" + std::to_string(file) + ".x" + std::to_string(kind));
  CHECK(passed_over_text(find_inputs({{"k"}, {}, "results"}).passed_over) ==
        "passed over in k: 7 .x6, 6 .x5, 5 .x4, 4 .x3, 3 .x2 and 3 of 2 other kinds");
}

TEST_CASE("what is hidden stays so, links to files are followed, links to folders are not") {
  const collection here;
  here.file("m/a.mtx");
  here.file("m/.hidden.mtx");
  here.file("m/.git/b.mtx");
  here.file("elsewhere/c.mtx");
  fs::create_symlink(here.path / "elsewhere/c.mtx", here.path / "m/link.mtx");
  fs::create_directory_symlink(here.path / "m", here.path / "m/circle");
  fs::create_directory_symlink(here.path / "elsewhere", here.path / "m/folder.mtx");
  fs::create_symlink(here.path / "nowhere.mtx", here.path / "m/dangling.mtx");
  // One that leads nowhere is named, and fails when its turn comes.
  CHECK(paths_in({"m"}) == names{"m/a.mtx", "m/dangling.mtx", "m/link.mtx"});
  CHECK(find_inputs({{"m"}, {}, "results"}).not_files.empty());
  // What was typed is meant, whatever it is.
  fs::create_directory_symlink(here.path / "elsewhere", here.path / "typed");
  CHECK(paths_in({"typed", "m/.hidden.mtx"}) == names{"typed/c.mtx", "m/.hidden.mtx"});
}

TEST_CASE("names may hold anything") {
  const collection here;
  const names odd = {"m/\x01.mtx", "m/\n.mtx",   "m/ a b .mtx",    "m/\"'$.mtx",
                     "m/-x.mtx",   "m/[1]*.mtx", "m/\xc3\xa9.mtx", "m/\xff.mtx"};
  for (const std::string& name : odd) here.file(name);
  CHECK(paths_in({"m"}) == odd);
  CHECK(paths_in({"m/[1]*.mtx"}) == names{"m/[1]*.mtx"});  // a file of that name is no pattern
}

TEST_CASE("patterns, for where no shell expands them") {
  const collection here;
  for (const char* const name : {"m/a1.mtx", "m/a2.mtx", "m/b1.mtx", "m/a.md", "n/a.mtx"}) here.file(name);
  CHECK(paths_in({"m/a?.mtx"}) == names{"m/a1.mtx", "m/a2.mtx"});
  CHECK(paths_in({"m/[b]*"}) == names{"m/b1.mtx"});
  CHECK(paths_in({"[mn]"}) == names{"m/a1.mtx", "m/a2.mtx", "m/b1.mtx", "n/a.mtx"});  // folders are searched
  CHECK(has(refusal({"m/x*.mtx"}), "m/x*.mtx: matches no file"));
}

TEST_CASE("lists: comments, blank lines, line ends of any system, and what they name") {
  const collection here;
  here.file("m/a.mtx");
  here.file("m/b c.mtx");
  here.file("n/d.mtx");
  here.file("all.list",
            "# a comment\r\n\r\n  m/b c.mtx \r\n\tgen:laplace2d?n=3\nnowhere.mtx\n#n\nn\nm/a*.mtx");
  const names all = {"m/b c.mtx", "gen:laplace2d?n=3", "nowhere.mtx", "n/d.mtx", "m/a.mtx"};
  CHECK(paths_in({"all.list"}) == all);
  CHECK(paths_in({}, {"all.list"}) == all);
  here.file("odd name", "m/a.mtx\n");
  CHECK(paths_in({}, {"odd name"}) == names{"m/a.mtx"});
  here.file("empty.txt");
  CHECK(paths_in({"empty.txt"}).empty());
  // A list in a list is taken for a matrix, which it is not: circles are thus impossible.
  here.file("outer.txt", "all.list\n");
  CHECK(paths_in({"outer.txt"}) == names{"all.list"});
  CHECK(has(refusal({}, {"nowhere.txt"}), "nowhere.txt: could not read the list: No such file"));
  CHECK(has(refusal({}, {"m"}), "m: could not read the list"));
  // What cannot be a name is the sign of another file, or of find -print0: nobody would see what is left out.
  here.file("zeros", std::string("m/a.mtx\0m/b c.mtx\0", 18));
  CHECK(refusal({}, {"zeros"}) == "zeros:1: no name of a matrix, so this is no list");
  here.file("long", "m/a.mtx\n" + std::string(200'000, 'x'));
  CHECK(refusal({}, {"long"}) == "long:2: no name of a matrix, so this is no list");
  // As long as a path can be, and no longer.
  here.file("longest", std::string(4096, 'x') + "\n");
  CHECK(paths_in({}, {"longest"}) == names{std::string(4096, 'x')});
  here.file("longer", std::string(4097, 'x') + "\n");
  CHECK(has(refusal({}, {"longer"}), "longer:1: "));
}

TEST_CASE("what is not there: typed it is refused, in a list it fails when its turn comes") {
  const collection here;
  here.file("m/a.mtx");
  CHECK(refusal({"nowhere.mtx"}) == "nowhere.mtx: no such file or folder");
  CHECK(refusal({"nowhere.txt"}) == "nowhere.txt: no such file or folder");
  CHECK(refusal({""}) != "taken");
  // Also where its name could be a pattern: one line of a list may not cost all others.
  here.file("all.txt", "gone [1].mtx\nm/a.mtx\n");
  CHECK(paths_in({"all.txt"}) == names{"gone [1].mtx", "m/a.mtx"});
}

TEST_CASE("a .txt that is a matrix is one") {
  const collection here;
  here.file("matrix.txt", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  CHECK(paths_in({"matrix.txt"}) == names{"matrix.txt"});
  for (const char* const text :
       {"# Directed graph\n0\t1\n", "1,2,.5\n",
        "title\n 1 1 1 1\nrua 1 1 1 0\n(2I3) (1I3) (1E12.4)\n  1  2\n  1\n  1.0\n"}) {
    here.file("matrix.txt", text);
    CHECK(paths_in({"matrix.txt"}) == names{"matrix.txt"});
  }
  here.file("list.txt", std::string(600, '#') + "\n# 1 2\n% no matrix\n");
  CHECK(paths_in({"list.txt"}) == names{"% no matrix"});
  here.file("list.txt", "% no matrix\n");
  CHECK(paths_in({"list.txt"}) == names{"% no matrix"});
}

TEST_CASE("the results are none of the collection, wherever they lie in it") {
  const collection here;
  here.file("m/a.mtx");
  here.file("m/out/before-1/b.mtx");
  here.file("m/out/c.mtx");
  CHECK(paths_in({"m"}, {}, "m/out") == names{"m/a.mtx"});
  CHECK(paths_in({"m"}, {}, here.path / "m/../m/out/") == names{"m/a.mtx"});
  fs::create_directory_symlink(here.path / "m/out", here.path / "link");
  CHECK(paths_in({"m"}, {}, "link") == names{"m/a.mtx"});
  CHECK(paths_in({"m/out"}, {}, "m/out") ==
        names{"m/out/before-1/b.mtx", "m/out/c.mtx"});  // where it was meant
  CHECK(paths_in({"m"}, {}, "not/there") == names{"m/a.mtx", "m/out/before-1/b.mtx", "m/out/c.mtx"});
}

TEST_CASE("each path once, in the order they were named first") {
  const collection here;
  here.file("m/a.mtx");
  here.file("m/b.mtx");
  here.file("all.txt", "gen:laplace2d\nm/b.mtx\n");
  CHECK(paths_in({"m/b.mtx", "m", "all.txt", "gen:laplace2d", "m/*.mtx"}, {"all.txt"}) ==
        names{"m/b.mtx", "m/a.mtx", "gen:laplace2d"});
}

TEST_CASE("a folder that cannot be searched is told, and the others are") {
  const collection here;
  here.file("m/a.mtx");
  here.file("m/closed/b.mtx");
  fs::permissions("m/closed", fs::perms::none);
  const found_inputs found = find_inputs({{"m"}, {}, "results"});
  fs::permissions("m/closed", fs::perms::owner_all);
  if (::geteuid() == 0) {
    CHECK(paths_of(found) == names{"m/a.mtx", "m/closed/b.mtx"});  // nothing is closed to root
  } else {
    CHECK(paths_of(found) == names{"m/a.mtx"});
    REQUIRE(found.problems.size() == 1);
    CHECK(has(found.problems[0], "m/closed: could not search: "));
  }
}

TEST_CASE("a matrix is known by its whole path, wherever one stands and however it is named") {
  const collection here;
  here.file("a/A.mtx");
  here.file("b/A.mtx");
  fs::create_symlink("../a/A.mtx", "b/link.mtx");
  fs::create_directory_symlink("a", "folder");
  here.file("odd/\xff.mtx");
  here.file("odd/\xfe %.mtx");
  const auto sources = [](const names& typed) {
    names found;
    for (const batch_input& input : find_inputs({typed, {}, "results"}).inputs) found.push_back(input.source);
    return found;
  };
  const std::string place = fs::canonical(here.path).string();
  fs::current_path(here.path / "a");
  CHECK(sources({"."}) == names{place + "/a/A.mtx"});
  fs::current_path(here.path / "b");
  CHECK(sources({"A.mtx"}) == names{place + "/b/A.mtx"});
  // One file, whatever leads to it, once; by the name that came first.
  CHECK(sources({"link.mtx", "../a/../a//A.mtx", "../folder/A.mtx", "../a"}) == names{place + "/a/A.mtx"});
  CHECK(find_inputs({{"link.mtx", "../a"}, {}, "results"}).inputs[0].path == "link.mtx");
  fs::current_path(here.path);
  // What is not there has a whole path too, and a generator none.
  here.file("all.txt", "gone/too.mtx\ngen:laplace2d?n=3\n");
  CHECK(sources({"all.txt"}) == names{place + "/gone/too.mtx", "gen:laplace2d?n=3"});
  // Bytes that are no text stay different there.
  CHECK(sources({"odd"}) ==
        names{"file://" + place + "/odd/%FE%20%25.mtx", "file://" + place + "/odd/%FF.mtx"});
}

TEST_CASE("pipes, sockets and devices that are named like matrices are told and passed over") {
  const collection here;
  here.file("m/a.mtx");
  REQUIRE(::mkfifo("m/pipe.mtx", 0600) == 0);
  fs::create_symlink("/dev/zero", "m/zero.mtx");
  fs::create_symlink("pipe.mtx", "m/to pipe.mtx");
  REQUIRE(::mkfifo("m/pipe.md", 0600) == 0);  // not named like one
  const int end = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, "m/socket.mtx");
  REQUIRE(::bind(end, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  ::close(end);
  for (const char* const typed : {"m", "m/*.mtx"}) {
    CAPTURE(typed);
    const found_inputs found = find_inputs({{typed}, {}, "results"});
    CHECK(paths_of(found) == names{"m/a.mtx"});
    names told = found.not_files;
    std::sort(told.begin(), told.end());
    REQUIRE(told.size() == 3);  // once, by whichever name came first
    CHECK(has(told[0] + told[1] + told[2], "pipe.mtx: a pipe"));
    CHECK(has(told[0] + told[1], "m/socket.mtx: a socket"));
    CHECK(told[2] == "m/zero.mtx: a device");
    CHECK(found.problems.empty());
  }
  // Typed, it is refused like all that can be read once; in a list it fails when its turn comes.
  CHECK(has(refusal({"m/pipe.mtx"}), "m/pipe.mtx: a pipe; a batch takes what can be read again"));
  CHECK(has(refusal({"m/zero.mtx"}), "m/zero.mtx: a device; "));
  here.file("all.txt", "m/pipe.mtx\n");
  CHECK(paths_in({"all.txt"}) == names{"m/pipe.mtx"});
}

TEST_CASE("whether a source is as it was") {
  const collection here;
  here.file("a.mtx", "12345");
  const source_state file = look_at_source("a.mtx");
  CHECK(file.kind == "file");
  CHECK(file.bytes == 5);
  CHECK(file.modified_ns > std::int64_t{1'600'000'000} * 1'000'000'000);
  fs::last_write_time("a.mtx", fs::last_write_time("a.mtx") - std::chrono::nanoseconds(1));
  CHECK(look_at_source("a.mtx").modified_ns == file.modified_ns - 1);
  fs::create_symlink("a.mtx", "link.mtx");
  CHECK(look_at_source("link.mtx").bytes == 5);
  CHECK(look_at_source("gen:laplace2d").kind == "generator");
  REQUIRE(::mkfifo("pipe.mtx", 0600) == 0);
  for (const char* const other : {"pipe.mtx", "nowhere.mtx", "."}) {
    CAPTURE(other);
    CHECK(look_at_source(other).kind == "other");
    CHECK(look_at_source(other).bytes == -1);
    CHECK(look_at_source(other).modified_ns == -1);
  }
}
