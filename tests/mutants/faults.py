"""Small faults at the edges of what the sources do, each with the tests that should notice it (mutants.py tries them).
A fault is a file, what goes wrong, the exact text that is there once, the text in its place, and names of ctest's tests."""
from typing import NamedTuple


class Fault(NamedTuple):
    file: str
    what: str
    old: str
    new: str
    tests: tuple


FAULTS = []


def fault(file, what, old, new, tests):
    FAULTS.append(Fault(file, what, old, new, tuple(tests.split())))


# ---- several vectors ----

fault("kernels/cpu/panels.cpp", "vectors that fill no register are left out",
      "for (; v < width; ++v)\n      for (std::int64_t e = 0; e < count * step; e += step) sums[v] +=",
      "for (; v < width - 1; ++v)\n      for (std::int64_t e = 0; e < count * step; e += step) sums[v] +=", "many_vectors")
fault("kernels/cpu/panels.cpp", "entries of a slice are taken one step apart", "const Value value = values[e];\n#pragma GCC unroll 4\n    for (int r = 0; r < Registers; ++r) {\n      typename vector::values own;",
      "const Value value = values[e / step];\n#pragma GCC unroll 4\n    for (int r = 0; r < Registers; ++r) {\n      typename vector::values own;", "many_vectors")
fault("kernels/cpu/panels.hpp", "y is read where beta is 0", "y[v] = beta == Value{0} ? alpha * sums[v] : beta * y[v] + alpha * sums[v];",
      "y[v] = beta * y[v] + alpha * sums[v];", "many_vectors")
fault("kernels/cpu/panels.hpp", "the sums of one panel are those of the next, too", "std::fill_n(sums, (own.last - own.first) * width_, Value{0});",
      "if (first == 0) std::fill_n(sums, (own.last - own.first) * width_, Value{0});", "many_vectors")
fault("kernels/cpu/panels.hpp", "sums of many columns take any memory", "while (width_ > 1 && total >",
      "while (width_ < 1 && total >", "many_vectors")
fault("kernels/cpu/panels.hpp", "an output behind the last one that a chunk touches is added", "if (i < c.first || i >= c.last) continue;",
      "if (i < c.first || i > c.last) continue;", "many_vectors")
fault("kernels/many_vectors.cpp", "what lies between rows is scaled", "if (stride == length) return scale(on, lines * length, beta, y);",
      "return scale(on, lines * length, beta, y);", "many_vectors")
fault("kernels/many_vectors.cpp", "of vectors by columns y is not read where it is wanted",
      "if (beta != Value{0}) turn(as.count, outputs, y, y_stride, own_y->data(), as.count);", "", "many_vectors")
fault("kernels/many_vectors.cpp", "of vectors by rows, taken one after the other, y is not read where it is wanted",
      "if (beta != Value{0}) turn(outputs, as.count, y, y_stride, own_y->data(), outputs);", "", "many_vectors")
fault("kernels/csc.hpp", "several vectors are multiplied by CSC as if it were CSR", "return line.prepare_many(on, transpose(m), turned(op), as);",
      "return line.prepare_many(on, transpose(m), op, as);", "many_vectors")
fault("kernels/cpu/bsr.cpp", "columns of a block that lie outside of the matrix meet several vectors",
      "use(row, col, height, std::min<std::int64_t>(m_.block_cols, m_.cols - col),", "use(row, col, height, m_.block_cols,", "many_vectors")
fault("tools/library/products.cpp", "a stride that is too small for several vectors is taken", "if (stride < line)", "if (stride < 1)", "library_matrix")
fault("tools/library/products.cpp", "an array that is too short by a row is taken", "< lines - 1))", "< lines - 2))", "library_matrix")
fault("tools/library/products.cpp", "vectors by columns run on what was prepared for rows",
      "known->as.by_rows == as.by_rows)", "true)", "library_matrix")

fault("analyze/recommend/race.cpp", "of several vectors only the first is right", "const std::int64_t to = at(v, i, outputs) * numbers + n;",
      "const std::int64_t to = at(0, i, outputs) * numbers + n;", "sprecommend")
fault("analyze/recommend/race.cpp", "vectors by columns are prepared as if they lay by rows", "prepared_many<Value> many = one.prepare_many(op, as);",
      "prepared_many<Value> many = one.prepare_many(op, {as.count, true});", "sprecommend")
fault("analyze/report/recommend_json.cpp", "JSON says that vectors lie by rows", '{"by", wanted.vectors.by_rows ? "rows" : "columns"}', '{"by", "rows"}', "sprecommend")
fault("tools/library/products.cpp", "what was prepared for any number of vectors is kept",
      "return known->run_many && known->kernel == kernel && known->op == op;", "return false;", "library_matrix")
fault("analyze/report/recommend_read.cpp", "a document of several vectors is read as one of one", "r.found.vectors = r.wanted.vectors;", "",
      "recommend_report")
fault("tools/sprecommend.cpp", "several vectors are predicted by the model of one", "if (typed.vectors.count > 1 && typed.predict)",
      "if (false)", "sprecommend")

# ---- complex values ----

fault("convert/pipelines/complex_values.hpp", "a complex value with a zero real part is a blank slot",
      "return bits_of(value.real) == 0 && bits_of(value.imaginary) == 0;", "return bits_of(value.real) == 0;", "complex")
fault("convert/io/entries.hpp", "the mirror image of a hermitian entry is itself",
      "skew || kind == symmetry_kind::hermitian}", "skew}", "complex")
fault("convert/convert.cpp", "values of a second array of a format are taken from the first",
      "      before += from.size();\n", "", "complex")
fault("convert/pipelines/complex_values.hpp", "an imaginary part that narrowing changes is not counted",
      "narrowed(wide[i].real).changed || narrowed(wide[i].imaginary).changed", "narrowed(wide[i].real).changed", "complex")
fault("convert/io/binsparse.cpp", "of complex values that are all the same only the first has its imaginary part",
      "std::fill(result_.imaginary.begin() + 1, result_.imaginary.end(), result_.imaginary[0]);", "", "hdf5")
fault("convert/io/matrix_market_grammar.cpp", "an imaginary part on the diagonal of a hermitian matrix is accepted",
      "if (real_diagonal && row == col && parsed.imaginary != 0)", "if (false)", "complex")
fault("analyze/recommend/race.cpp", "the imaginary part of the reference is its real part",
      "parts.y[2 * i + 1] = known.y[i].imaginary;", "parts.y[2 * i + 1] = known.y[i].real;", "sprecommend")
fault("tools/library/products.cpp", "A^H x of the library is A^T x",
      "if (adjoint) ready = adjoint_of(on, std::move(ready), s.rows, s.cols);", "", "library_matrix")
fault("tools/library/products.cpp", "an imaginary part of a factor is lost",
      "return {static_cast<part>(number.real()), static_cast<part>(number.imag())};",
      "return {static_cast<part>(number.real()), part{0}};", "library_matrix")
fault("analyze/recommend/recommend.cpp", "kernels that multiply no complex values may be named",
      "if (!asked.kernels.empty() && std::none_of", "if (asked.kernels.empty() && std::none_of", "sprecommend")
fault("analyze/structure/complex_features.cpp", "conjugates are looked for where values are equal",
      "conjugate += a.real == b.real && a.imaginary == -b.imaginary", "conjugate += a.real == b.real && a.imaginary == b.imaginary",
      "spanalyze")
fault("tools/spconv.cpp", "complex values lose their imaginary parts to --value f64",
      "  if (is_complex && !to_complex)\n", "  if (false)\n", "spconv")

fault("kernels/complex_arithmetic.hpp", "the imaginary parts of a product are added to its real part",
      "a.real * b.real - a.imaginary * b.imaginary", "a.real * b.real + a.imaginary * b.imaginary", "complex_kernels")
fault("kernels/adjoint.hpp", "alpha is not conjugated with the rest of A^H x", "run(conjugate(alpha), input->data()", "run(alpha, input->data()",
      "complex_kernels")
fault("kernels/cpu/ell.cpp", "of complex values a group of rows starts at its first slot again",
      "for (std::int64_t k = from; k < lengths[i]; ++k)\n      sums[i] +=", "for (std::int64_t k = 0; k < lengths[i]; ++k)\n      sums[i] +=",
      "complex_kernels")

# ---- convert/io ----

fault("convert/io/matrix_market_grammar.cpp", "a number +-5 is accepted",
      "pos + 1 != end && pos[1] != '-' && pos[1] != '+' ? pos + 1 : pos", "pos + 1 != end && pos[1] != '+' ? pos + 1 : pos",
      "matrix_market spconv")
fault("convert/io/matrix_market.cpp", "a comment that begins at byte 255 of the body is not seen",
      "for (std::size_t i = block; i < std::min(end, size - 1); ++i)",
      "for (std::size_t i = block; i < std::min(end, size) - 1; ++i)", "matrix_market")
fault("convert/io/npz.cpp", "coords of shape (n, 2) are taken for (2, n)",
      "if (coords.shape()[0] != 2) refuse_input(archive_.path(), \"coords has not two rows\");", "", "npz")
fault("convert/io/container.cpp", "superfluous members of a container are accepted",
      "if (description_.arrays.size() + description_.sizes.size() != slots.size())", "if (false)", "container")
fault("convert/io/write.cpp", "a file is not flushed to the disk before it is renamed",
      "const int synced = ::fsync(descriptor) == 0 ? 0 : errno;", "const int synced = 0;", "system_calls")
fault("convert/io/container.cpp", "checksums of arrays are not compared", "if (found != listed->checksum)", "if (false)",
      "container")
fault("convert/io/container.cpp", "an array may be longer than the metadata say",
      "refuse_if(in_.path(), check_length(name, set->length, listed->length, \"as the metadata say\"));", "", "container hdf5")
fault("convert/io/matrix_market_grammar.cpp", "the field `integer` becomes `real`",
      "? field_kind::integer", "? field_kind::real", "matrix_market spconv")
fault("convert/io/npz.cpp", "a diagonal of dia may be in a file twice", "twice != sorted.end()", "twice != sorted.end() && false", "npz")
fault("convert/io/npz.cpp", "rows of data of a dia may not be longer than the matrix is wide",
      "if (offset <= -rows || offset >= cols || col >= cols) return;", "if (offset <= -rows || offset >= cols) return;", "npz")
fault("convert/io/npz_write.cpp", "a rest of DIA is lost in SciPy's file", "if (matrix.rest_values.size() > 0)", "if (false)", "npz")
fault("convert/io/npz.cpp", "coords of columns are checked against rows",
      "checked_index(archive_.path(), \"coords\", i, index, entries.cols)",
      "checked_index(archive_.path(), \"coords\", i, index, entries.rows)", "npz")

fault("convert/io/read.cpp", "text of GNU Octave is a list of edges", "!is_octave_text(start) &&", "", "looks_like")
fault("convert/io/looks_like.cpp", "any name in a comment is GNU Octave's", "start.substr(end + 1).starts_with(\"# type: \")", "true",
      "looks_like")
fault("convert/io/container.cpp", "HDF5 of GNU Octave has no name", "if (in_.group_with(\"OCTAVE_NEW_FORMAT\"))", "if (false)", "container")
fault("convert/io/matlab_variables.cpp", "a single number of MATLAB counts as a full matrix", "return single || empty ?", "return empty ?", "hdf5 matlab")
fault("convert/io/matlab_variables.cpp", "SuiteSparse's Problem.A has no precedence", "variable.name == \"Problem.A\"", "false", "hdf5 matlab")
fault("convert/io/matlab_hdf5.cpp", "objects and texts of MATLAB 7.3 are matrices", "if (!of_numbers || ", "if (", "hdf5")
fault("convert/io/matlab_hdf5.cpp", "a struct that is a part of itself has no end", "if (++listed_ > most)", "if (false)", "hdf5")
fault("convert/io/hdf5_file.cpp", "HDF5 sorts links in a table of its own", "H5_INDEX_NAME, H5_ITER_NATIVE,", "H5_INDEX_NAME, H5_ITER_INC,", "fuzz")
fault("convert/io/hdf5_file.cpp", "links come as HDF5 holds them", "std::sort(names.begin(), names.end());", "", "hdf5")
fault("convert/io/hdf5_file.cpp", "an array in a header may be longer than what the header holds",
      "if (layout == H5D_COMPACT || ", "if (", "hdf5")
fault("convert/io/hdf5_file.cpp", "a large chunk is unpacked for every part of it", "if (elements > 0 && chunk * set.element_bytes > ordinary_chunk)", "if (false)", "hdf5")
fault("convert/io/matlab_hdf5.cpp", "what MATLAB keeps for itself counts", "if (m.name.starts_with('#') || choice_.is_certain())", "if (choice_.is_certain())", "hdf5")
fault("convert/io/matlab_hdf5.cpp", "a full matrix of MATLAB 7.3 is not turned", "*set, name, true, if_complex_", "*set, name, false, if_complex_", "hdf5")
fault("convert/io/hdf5_sparse.cpp", "of a long line only its first part is told apart", "visit(line + i / now.count, first + i % now.count,",
      "visit(line + i / now.count, i % now.count,", "hdf5")
fault("convert/io/anndata.cpp", "a matrix by columns is read by rows", "by_rows ? entries.row_indices : entries.col_indices", "true ? entries.row_indices : entries.col_indices", "hdf5")
fault("convert/io/read.cpp", "--variable is passed over where it means nothing", "if (!options.variable.empty() &&", "if (false && !options.variable.empty() &&", "hdf5")

fault("convert/reordering.cpp", "neighbours are visited as they are numbered", "std::sort(order.begin() + first, order.begin() + count, fewer);",
      "std::sort(order.begin() + first, order.begin() + first, fewer);", "reordering")
fault("convert/reordering.cpp", "any vertex begins, however central", "if (found <= depth) {", "if (found <= 2 * depth) {", "reordering")
fault("convert/reordering.cpp", "half of a symmetric matrix counts as the whole", "if (mirrored && row != col) ++lengths[col];", "", "reordering")
fault("convert/reordering.cpp", "a row may be in an order twice", "if (at >= rows.size() || seen[at])", "if (at >= rows.size())", "reordering")
fault("convert/minimum_degree.cpp", "elements count with what lies in the new one", "at(outside_, e) -= at(weight_, v);", "", "reordering")
fault("convert/minimum_degree.cpp", "what touches nearly everything is not put off", "if (graph.degree(v) > dense) {", "if (false) {", "reordering")
fault("convert/minimum_degree.cpp", "the new element is not part of a degree", "std::int64_t{at(degree_, v)} + size - at(weight_, v)", "std::int64_t{at(degree_, v)}", "reordering")
fault("convert/io/edges.cpp", "zeros at the end of SMS are not asked for", "if (count_ == 0 || !is_end(count_ - 1))", "if (count_ == 0)", "edges")
fault("convert/io/npy.cpp", "data behind what the shape needs are accepted", "if (bytes_->finish()) damaged(",
      "if (bytes_->finish() && false) damaged(", "npz")
fault("convert/io/npy.cpp", "zeros of a dense array are entries", "    if (value != 0 || other != 0) {\n      row_indices", "    if (value == value) {\n      row_indices",
      "npz")
fault("convert/io/npy.cpp", "columns of an array are as long as its rows", "by_rows ? cols : rows;", "by_rows ? cols : cols;", "npz")
fault("convert/io/npy.cpp", "an array need not say in which order it lies", "!has_order_ || ", "", "npz")
fault("convert/io/npy.cpp", "a dense array ends before its checksum", "return source_.read(&more, 1) > 0;", "return source_.read(&more, 0) > 0;", "npz")
fault("convert/io/looks_like.cpp", "a first line with a damaged beginning is plain text",
      "return start.starts_with('%') || lower(start).find(\"matrixmarket\") != std::string::npos;", "return start.starts_with('%');",
      "looks_like")
fault("convert/io/read.cpp", "a page named .mtx is only called wrong", "if (named && !kind.empty())", "if (named && false)",
      "looks_like spconv")

fault("convert/io/rutherford_boeing.cpp", "columns decide also where the words are as many as the fields",
      "if (fields.size() == wanted) return;", "if (fields.size() == wanted && false) return;", "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "words decide also where numbers touch", "fields.push_back(line.substr(std::min(k * width, line.size()), width));",
      "fields.push_back(line.substr(std::min(k * (width + 1), line.size()), width));", "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "a row may stand in a column twice", "if (rows[at] <= rows[at - 1]) first_wrong = std::min(first_wrong, col);",
      "if (rows[at] < rows[at - 1]) first_wrong = std::min(first_wrong, col);", "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "a symmetric matrix may have its upper half", "rows[starts[col]] < col) first_wrong = col;",
      "rows[starts[col]] < col - 99) first_wrong = col;", "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "a pointer may be one behind the end", "if (number < 1 || number > entries_ + 1) return fault::outside;",
      "if (number < 1 || number > entries_ + 2) return fault::outside;", "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "the last pointer is not looked at", "if (starts[cols_] != entries_)", "if (starts[cols_] > entries_)",
      "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "an exponent without a letter is none", 'number.find_first_of("eEdD+-", 1)', 'number.find_first_of("eEdD", 1)',
      "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "a scale factor is passed over", "if (format.scale != 0 &&", "if (format.scale > 99 &&", "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "a right-hand side too few is none", "if (found.empty() && ahead > 0)", "if (found.empty() && ahead > 1)",
      "rutherford_boeing")
fault("convert/io/rutherford_boeing.cpp", "announced lines of values are not compared", "cards[i + 1] != lines)", "cards[i + 1] < lines)", "rutherford_boeing")
fault("convert/io/matlab.cpp", "the checksum of a compressed variable is not looked at", "if (used_) file_.check_packed(whole);", "", "matlab")
fault("convert/io/matlab.cpp", "rows may fall within a column", "std::is_sorted_until(from, to); falls != to)",
      "std::is_sorted_until(from, to); falls > to)", "matlab")
fault("convert/io/matlab.cpp", "the last row index is not looked at", "if (end > first_outside)", "if (end > first_outside + 1)", "matlab")
fault("convert/io/matlab.cpp", "logical values in bytes are doubles where they are called so",
      "if (head.logical && values.bytes ==", "if (head.logical && false && values.bytes ==", "matlab")
fault("convert/io/matlab.cpp", "an imaginary part alone makes no entry", "      if (value != 0 || other != 0) {\n        row_indices",
      "      if (value != 0) {\n        row_indices", "matlab")
fault("convert/io/matlab_elements.cpp", "what zlib sees ahead is said as soon as it sees it", "if (!problem_.empty() && stream_.avail_out > 0) damaged",
      "if (!problem_.empty()) damaged", "matlab fuzz")
fault("convert/io/matlab_variables.cpp", "a sparse matrix is no better than a full one", "if (variable.kind == matlab_kind::sparse) return rank::sparse;",
      "if (variable.kind == matlab_kind::sparse) return rank::full;", "hdf5 matlab")
fault("convert/io/lines.cpp", "a line may be a byte too long", "if (line.size() > matrix_market::longest_line) refuse_too_long();",
      "if (line.size() > matrix_market::longest_line + 1) refuse_too_long();", "rutherford_boeing")
fault("convert/io/edges.cpp", "a comment of another kind before DIMACS's problem is an edge",
      "skip_first = !is_dimacs(content, \"p\");", "skip_first = false;", "edges")
fault("convert/io/edges.cpp", "ids are counted from 1 though one is 0", "options_.base.value_or(least_ == 0 ? 0 : 1)", "options_.base.value_or(least_ <= 1 ? 0 : 1)",
      "edges spconv")
fault("convert/io/edges.cpp", "a line of names is an edge of its own", "if (std::exchange(skip_first, false)) return;", "if (skip_first) return;", "edges")
fault("convert/io/edge_lines.cpp", "a column too many is passed over", "return at != last || *at == ',' || *at == ';' ? fault::many", "return at != last ? fault::none : *at == ',' || *at == ';' ? fault::many",
      "edges")
fault("convert/io/edges.cpp", "sizes are not told from an edge", "const bool as_many = announced == static_cast<double>(behind);", "const bool as_many = announced == static_cast<double>(behind + 1);",
      "edges")
fault("convert/io/edges.cpp", "an edge outside the sizes is accepted", "to_.data()[i + 1] - base >= cols)", "to_.data()[i + 1] - base > cols)", "edges")
fault("convert/io/edges.cpp", "lines before a piece are not counted", "line_ += own.lines;", "line_ += own.lines - 1;", "edges")
fault("convert/io/read.cpp", "Matrix Market without its first line is a list of edges", 'ending != ".mtx" &&', "", "spconv")
fault("tools/spconv.cpp", "the ids that were numbered anew are not kept", "if (ids) ids->commit();", "", "spconv")
fault("tools/batch/inputs.cpp", "a list of edges is a list of names", " && !is_edge_list(start, more_behind);", ";", "batch_inputs")

# ---- convert/formats ----

fault("convert/formats/validate.cpp", "a column may be in a row twice",
      "if (i > offsets[line] && indices[i] <= indices[i - 1])", "if (i > offsets[line] && indices[i] < indices[i - 1])",
      "formats")
fault("convert/formats/validate.cpp", "the length of a padded row may be negative", "if (length < 0 || length > width)",
      "if (length > width)", "formats")
fault("convert/formats/validate.cpp", "padding may have a value", "} else if (values[at] != 0) {", "} else if (false) {",
      "formats")
fault("convert/formats/validate.cpp", "a row of SELL may leave its window", "if (row / m.sigma != p / m.sigma)", "if (false)",
      "formats")
fault("convert/formats/validate.cpp", "a row of SELL may be there twice", "if (seen[static_cast<std::size_t>(row)])",
      "if (false)", "formats")
fault("convert/formats/validate.cpp", "the rest of HYB may begin one slot early", "if (m.row_lengths[row] < m.width)",
      "if (m.row_lengths[row] + 1 < m.width)", "formats")
fault("convert/formats/validate.cpp", "a diagonal of DIA may lie right of the matrix",
      "if (m.offsets[d] <= -rows || m.offsets[d] >= cols)", "if (m.offsets[d] <= -rows || m.offsets[d] > cols)", "formats")
fault("convert/formats/validate.cpp", "a diagonal of DIA may be there twice", "if (d > 0 && m.offsets[d] <= m.offsets[d - 1])",
      "if (d > 0 && m.offsets[d] < m.offsets[d - 1])", "formats")
fault("convert/formats/validate.cpp", "DIA may have values outside the matrix", "if (col < 0 || col >= cols) return", "if (false) return",
      "formats")
fault("convert/formats/validate.cpp", "an entry of DIA may be on a diagonal and in the rest",
      "if (std::binary_search(m.offsets.begin(), m.offsets.end(), m.rest_col_indices[i] - m.rest_row_indices[i]))", "if (false)",
      "formats")
fault("convert/formats/validate_blocked.cpp", "blocks of BSR may have sides of 65", "m.block_rows > 64 || m.block_cols > 64",
      "m.block_rows > 65 || m.block_cols > 65", "formats blocked")
fault("convert/formats/validate_blocked.cpp", "a block of CSB may be empty",
      "if (!dense && m.block_offsets[b] == m.block_offsets[b + 1])", "if (false)", "formats blocked")
fault("convert/formats/validate_blocked.cpp", "an entry may be in a block row of eCSB twice",
      "if (place <= last) return fmt::format(\"entry {} of block row", "if (place < last) return fmt::format(\"entry {} of block row",
      "formats blocked")
fault("convert/formats/validate_blocked.cpp", "superfluous zeros of BSR are accepted", "if (zero != m.zero_slots.size())",
      "if (false)", "formats blocked")
fault("convert/formats/validate_blocked.cpp", "an eCSB may be wider than its longest block row", "if (m.width > longest)",
      "if (false)", "formats")
fault("convert/formats/validate_blocked.cpp", "padding of eCSB may name any block", "if (position != first_block)",
      "if (false)", "formats blocked")

# ---- convert ----

fault("convert/options.cpp", "beta may be 8192", "options.beta > 4096", "options.beta > 8192", "options")
fault("convert/options.cpp", "a limit of 1 slot per entry is refused", "std::isnan(max_fill) || max_fill < 1",
      "std::isnan(max_fill) || max_fill <= 1", "options")
fault("convert/options.cpp", "16 bits are taken for blocks of 512", "options.index_bits == 16 && options.beta > 256",
      "options.index_bits == 16 && options.beta > 512", "options")
fault("convert/options.cpp", "a tile may have one side", "if ((options.height == 0) != (options.width == 0))", "if (false)",
      "options")
fault("convert/words.cpp", "numbers of three digits begin with a comma", "- 3; at > first;", "- 3; at >= first;", "words")
fault("convert/words.cpp", "1023.96 KiB are not 1.0 MiB", "unit == 0 ? 1024 : 1023.95", "1024", "words")
fault("convert/words.cpp", "nearly all is 100 %", "share < 1 && text == \"100 %\" ? \"> 99.99 %\" : text", "text", "words")
fault("convert/words.cpp", "0.5 products are none", "std::ceil(number * (1 - 1e-9))", "std::floor(number)", "words")
fault("convert/nearest_names.cpp", "two letters exchanged are two mistakes", "before[j - 2] + 1", "before[j - 2] + 2",
      "nearest_names")
fault("convert/stored_twice.cpp", "what is stored once in two triangles counts as stored twice", "twice += found == both;",
      "twice += found != 0;", "stored_twice")
fault("convert/convert.cpp", "duplicates are counted among what was stored",
      "report.duplicates_summed = listed - matrix.values.size();",
      "report.duplicates_summed = report.stored - matrix.values.size();", "pipelines spconv")
fault("convert/pipelines/fill_limit.hpp", "a fill of just the limit is refused", "if (fill <= max_fill) return;",
      "if (fill < max_fill) return;", "options pipelines prices")
fault("convert/pipelines/coo_to_csr.hpp", "the mirror image of a skew-symmetric entry keeps its sign",
      "out_values[at] = skew ? -values[i] : values[i];", "out_values[at] = values[i];", "pipelines spconv")
fault("convert/pipelines/coo_to_csr.hpp", "infinite values overflow 32-bit floats", "wide[i] - wide[i] == 0 && f - f != 0",
      "f - f != 0", "pipelines spconv")
fault("convert/options.cpp", "a share of 2 is taken for DIA", "std::isnan(share) || share > 1", "std::isnan(share) || share > 2",
      "options")
fault("convert/options.cpp", "a diagonal of DIA that takes as many bytes as in the rest is not stored",
      "? groups_of(rows * value_bytes, in_rest)", "? rows * value_bytes / in_rest + 1", "formats")
fault("convert/pipelines/csr_rules.hpp", "the last offset may be any",
      "return i == m.rows ? m.row_offsets[i] == m.entries :", "return i == m.rows ? true :", "compress")
fault("convert/pipelines/csr_rules.hpp", "a column may be there twice", "m.col_indices[e] <= m.col_indices[e - 1]",
      "m.col_indices[e] < m.col_indices[e - 1]", "compress library_matrix")
fault("convert/pipelines/csr_rules.hpp", "an entry's column may fall anywhere", "0, m.rows, e)] == e;", "0, m.rows, e)] <= e;",
      "compress")
fault("convert/pipelines/csr_to_half.hpp", "a negated matrix may have values on the diagonal",
      "if (row == col) return values[e] == 0 ? 0 : not_negated;", "if (row == col) return 0;", "pipelines")
fault("convert/pipelines/csr_to_half.hpp", "an entry without a mirror image is no hindrance",
      "cols[low] != row) return not_equal | not_negated;", "cols[low] != row) return 0;", "pipelines")
fault("convert/pipelines/csr_to_half.hpp", "mirror images are compared as numbers, so that 0 is -0",
      "(own == bits_of(values[low]) ? 0 : not_equal)", "(values[e] == values[low] ? 0 : not_equal)", "pipelines")
fault("convert/pipelines/csr_to_half.hpp", "mirror images of a skew-symmetric half are not negated",
      "skew ? negated(below_values[e]) : below_values[e]",
      "skew ? below_values[e] : below_values[e]", "pipelines")
fault("convert/formats/validate_half.cpp", "a half may have entries below the diagonal", "if (col < row)", "if (false)", "formats")
fault("convert/formats/validate_half.cpp", "a skew-symmetric half may have values on the diagonal",
      "if (m.skew == 1 && col == row && value != 0)", "if (m.skew == 2 && col == row && value != 0)", "formats container")
fault("analyze/structure/prices.cpp", "half of a diagonal matrix has a price", "if (kept == entries) return;", "", "prices")
fault("analyze/structure/prices.cpp", "blocks on the diagonal have no mirror images and count as a half", "{{1, blocks / 2}}",
      "{{1, (blocks - 1) / 2}}", "prices")
fault("analyze/structure/prices.cpp", "the main diagonal is not in its half", "main + (d.count - main) / 2", "(d.count - main) / 2",
      "prices")
fault("analyze/structure/prices.cpp", "any entry on the diagonal makes it full", "on_main == matrix.rows ?", "on_main > 0 ?", "prices")
fault("convert/pipelines/csr_to_half.hpp", "the block beside one on the diagonal is on it, too", "cols[at] < last) return",
      "cols[at] <= last) return", "prices")
fault("kernels/cpu/half.cpp", "fill below the diagonal of a half meets x",
      "std::max(i, first_col); j < last_col", "first_col; j < last_col", "kernels")
fault("convert/formats/validate_half.cpp", "half of DIA may have an empty diagonal below the main one", "m.upper.offsets[0] < 0)",
      "false)", "formats")
fault("analyze/structure/matrix_features.hpp", "a NaN has no mirror image", "if (nans == 0 && !(equal || negated))",
      "if (!(equal || negated))", "features")
fault("kernels/cpu/diagonal_stretch.hpp", "the first diagonal that meets a piece of A^T x is left out", "first - m.rows + 1,",
      "first - m.rows + 2,", "kernels")
fault("kernels/cpu/diagonal_stretch.hpp", "the last diagonal that meets a piece of A x is left out", "m.cols - 1 - first",
      "m.cols - 2 - first", "kernels")
fault("kernels/cpu/dia.cpp", "every piece walks all diagonals", "diagonals_that_meet(m_, op, first, last);",
      "std::pair{std::int64_t{0}, m_.offsets.size()};", "kernels")
fault("analyze/recommend/field.cpp", "halves of what has few entries are not symmetric", "features_.has_half() != false && entries_alone",
      "false", "field")
fault("tools/spconv.cpp", "half of a matrix may be all of it", "typed.symmetric == stored_part::whole && whole_of(named)", "false", "spconv")
fault("convert/pipelines/csr_to_dia.hpp", "zeros of the rest are listed among DIA's", "return values[e] == 0 && rank(e) >= 0;",
      "return values[e] == 0;", "formats pipelines")
fault("convert/pipelines/csr_to_ell.hpp", "padding of ELL has column 0", "length > 0 ? cols[last] : 0;\n    out_values[slot]",
      "0;\n    out_values[slot]", "pipelines")

# ---- kernels ----

fault("kernels/cpu/ell.cpp", "padding of ELL meets x, row by row", "if (k < lengths[i]) sums[i] +=", "sums[i] +=", "kernels")
fault("kernels/cpu/ell.cpp", "padding of ELL meets x, in groups of rows",
      "vector::below(slot, length[v]) ? with_slot(v) : sum[v]", "vector::below(slot, length[v] + 4096) ? with_slot(v) : sum[v]",
      "kernels")
fault("kernels/cpu/ell.cpp", "padding of ELL meets x, in A^T x and in HYB", "if (k < layout.lengths[piece.position + i])",
      "if (k < piece.width)", "kernels")
fault("kernels/cpu/csb.cpp", "padding of GCSB meets x",
      "if (line > first_line && index[slot] == index[slot - m.group_size]) continue;  // padding", "", "kernels")
fault("kernels/cpu/csb.cpp", "padding of eCSB meets x",
      "if (k >= m.block_row_offsets[b + 1] - m.block_row_offsets[b]) continue;", "", "kernels")
fault("kernels/cpu/csb.cpp", "padding of layout tile meets x", "if (cells.is_padding(index[slot])) continue;", "", "kernels")
fault("kernels/cpu/diagonal_stretch.hpp", "diagonals read behind x", "std::min(last, inputs(m, op) - shift)",
      "std::min(last, inputs(m, op) - shift + 1)", "kernels")
fault("kernels/cpu/dia.cpp", "the rest of DIA is left out", "if (rest_) rest_->run(alpha, x, Value{1}, y);", "", "kernels")
fault("kernels/cpu/bsr_blocks.hpp", "blocks at the right edge read behind x", "if (rows_inside < height || cols_inside < width)",
      "if (rows_inside < height)", "kernels")
fault("kernels/cpu/bsr_blocks.hpp", "blocks at the lower edge read behind x",
      "if (rows_inside < height || cols_inside < width)", "if (cols_inside < width)", "kernels")
fault("kernels/cpu/scatter.hpp", "both at once: y is forgotten where sums of rows are added", "rows_->add_up(alpha, beta, y);",
      "rows_->add_up(alpha, Value{0}, y);", "kernels")
fault("kernels/cpu/scatter.hpp", "both at once: sums with x beside them start from what is there", "sums[i] = {Value{0}, x[i]};",
      "sums[i].input = x[i];", "kernels")
fault("kernels/cpu/ell.cpp", "both at once: rows of SELL that were moved take the w of another", "w[layout_.row_at(piece.position + i)]",
      "w[piece.position + i]", "kernels")
fault("kernels/cpu/dia.cpp", "the rest of DIA is left out of A x in A^T (A x)",
      "{ sums[row - first] += value * x[col]; }", "{ sums[row - first] += 0 * value * x[col]; }", "kernels")
fault("kernels/cpu/half.cpp", "the diagonal of a half in CSR is its own mirror image twice",
      "if (e < end && cols[e] == row) own[3] = values[e++] * own_x;", "", "kernels")
fault("kernels/cpu/half.cpp", "mirror images of a skew-symmetric half in CSR are not negated",
      "mirrored_x = mirror_ * own_x;", "mirrored_x = own_x;", "kernels")
fault("kernels/registry.hpp", "A^T x of a skew-symmetric half is A x",
      "return op == operation::transposed ? m.mirror() : typename Half::value_type{1};", "return typename Half::value_type{1};",
      "kernels")
fault("convert/formats/half.hpp", "mirror images of a skew-symmetric matrix have its sign", "skew != 0 ? value_type{-1} : value_type{1}",
      "value_type{1}", "kernels")
fault("convert/formats/validate_half.cpp", "half of a matrix may be renumbered", "if (m.upper.renumbered != 0)", "if (false)", "formats")
fault("convert/options.hpp", "half of a matrix in tiles is renumbered where lengths vary", "half.renumber = renumbering::none;", "",
      "pipelines kernels formats")
fault("analyze/recommend/field.cpp", "half in tiles is raced on a CPU though nobody asked for it",
      "request_.kernels.empty() && !request_.history;", "false;", "field")
fault("kernels/cpu/half.cpp", "blocks that begin on the diagonal are taken for blocks above it",
      "m_.col_indices[b]} * m_.block_cols < last; ++b)", "m_.col_indices[b]} * m_.block_cols < first; ++b)", "kernels")
fault("kernels/cpu/half.cpp", "the diagonal of a half in BSR is its own mirror image twice",
      "if (i != j) sums[j] += value * (mirror_ * x[i]);", "sums[j] += value * (mirror_ * x[i]);", "kernels")
fault("kernels/cpu/half.cpp", "the main diagonal of a half in DIA is its own mirror image twice",
      "m_.offsets.size() > 0 && m_.offsets[0] == 0 ? 1 : 0;", "0;", "kernels")
fault("kernels/cpu/half.cpp", "mirror images of a skew-symmetric half in DIA are not negated", "if (mirror_ < 0)", "if (false)",
      "kernels")
fault("kernels/cpu/scatter.hpp", "an entry on the diagonal of a half in tiles, or of DIA's rest, is its own mirror image twice",
      "if (row != col) each(col, row, mirror * value);", "each(col, row, mirror * value);", "kernels")
fault("kernels/cpu/csr.cpp", "y is read where beta is 0", "y[row] = beta == Value{0} ? sum : beta * y[row] + sum;",
      "y[row] = beta * y[row] + sum;", "kernels")
fault("kernels/cpu/csr.cpp", "the last entries of a row are left out",
      "for (; e + 3 < end; e += 4)\n      for (int k = 0; k < 4; ++k) sums[k] +=",
      "for (; e + 2 < end; e += 4)\n      for (int k = 0; k < 4; ++k) sums[k] +=", "kernels")
fault("kernels/measure.cpp", "half of the lower part of a median's interval is gone", "rank(std::floor(count / 2 - reach))",
      "rank(std::floor(count / 2 - reach / 2))", "measure")
fault("kernels/measure.cpp", "half of the upper part of a median's interval is gone",
      "rank(std::ceil(count / 2 + reach) - 1)", "rank(std::ceil(count / 2 + reach / 2) - 1)", "measure")
fault("kernels/measure.cpp", "the 10th percentile is the 20th", "at(0.1),", "at(0.2),", "measure")
fault("kernels/measure.cpp", "several calls are one cold sample", "options.cold ? 1 : static_cast<int>", "static_cast<int>",
      "measure")
fault("kernels/measure.cpp", "the memory that replaces caches is taken anew by everybody", "  held = memory;\n", "", "measure")
fault("kernels/measure.cpp", "nobody locks the memory that replaces caches", "const std::lock_guard alone(holding);", "",
      "measure")
fault("kernels/measure.cpp", "caches of instructions count", "|| first_word_in(at / \"type\") == \"Instruction\"", "",
      "measure")
fault("kernels/reference.cpp", "y counts where beta is 0", "a * products, old = b == 0 ? 0 : b * static_cast<double>(y[i]);",
      "a * products, old = b * static_cast<double>(y[i]);", "kernels reference")
fault("kernels/reference.cpp", "outputs that are no numbers are right", "if (!within(value, expected[i], bound[i])) {",
      "if (std::fabs(value - expected[i]) > bound[i]) {", "kernels reference race")

# ---- analyze/structure ----

fault("analyze/structure/block_statistics.cpp", "quartiles of blocks are a rank too low",
      "const std::size_t rank = (numbers.size() * quarter + 3) / 4;", "const std::size_t rank = numbers.size() * quarter / 4;",
      "prices")
fault("analyze/structure/block_statistics.cpp", "quartiles of blocks are a rank too high",
      "numbers[rank == 0 ? 0 : rank - 1]", "numbers[std::min(rank, numbers.size() - 1)]", "prices")
fault("analyze/structure/block_statistics.cpp", "one group more carries half the padding",
      "while (carried * 2 < result.padded_slots)", "while (carried * 2 <= result.padded_slots)", "prices")
fault("analyze/structure/block_statistics.cpp", "windows are not sorted apart",
      "const std::int64_t size = window > 0 ? window : result.blocks;",
      "const std::int64_t size = std::max<std::int64_t>(window, result.blocks);", "prices")
fault("analyze/structure/block_statistics.cpp", "blocks of a power of two are in the bin below",
      "std::bit_width(static_cast<unsigned>(count))) - 1;", "std::bit_width(static_cast<unsigned>(count) - 1));", "prices")
fault("analyze/structure/features.cpp", "quartiles of rows are a rank too high",
      "if (4 * (before += c.count) >= quarters * f.lines) return c.size;",
      "if (4 * (before += c.count) > quarters * f.lines) return c.size;", "features")
fault("analyze/structure/features.cpp", "Gini's coefficient counts ranks from 0", "(2 * before + count + 1) / 2",
      "(2 * before + count) / 2", "features")
fault("analyze/structure/features.cpp", "blocks that are a tenth full are in the second bin", "(b.size * 10 - 1) / places",
      "b.size * 10 / (places + 1)", "features features_scipy")
fault("analyze/structure/features.cpp", "the last bin of lengths ends a length late", "all[b].last = all[b].first + width - 1;",
      "all[b].last = all[b].first + width;", "features report plots")
fault("analyze/structure/features.cpp", "a diagonal in half of the rows is not full", "if (2 * d.size < f.rows) continue;",
      "if (2 * d.size <= f.rows) continue;", "features")
fault("analyze/structure/prices.cpp", "zeros of DIA's rest are priced as listed", ": count_zeros_on_diagonals(on_, matrix_, least);",
      ": facts_.zeros;", "prices")
fault("analyze/structure/prices.cpp", "a third of the rows is rounded down", "if ((reached += s->count) >= (all + 2) / 3)",
      "if ((reached += s->count) >= all / 3)", "prices")
fault("analyze/structure/prices.cpp", "SELL's offsets lack the last one", "(slices + 1) * offset_bytes;\n    if (slots",
      "slices * offset_bytes;\n    if (slots", "prices")
fault("analyze/structure/prices.cpp", "what fills to just the limit is refused", "cost.allowed = cost.fill <= options_.max_fill;",
      "cost.allowed = cost.fill < options_.max_fill;", "prices")
fault("analyze/structure/block_choice.cpp", "blocks that take what CSR does pay", "choice.best().bytes < csr_bytes",
      "choice.best().bytes <= csr_bytes", "block_choice")
fault("analyze/structure/block_choice.cpp", "blocks that fill to just the limit are not chosen", "c.fill > max_fill, entries",
      "c.fill >= max_fill, entries", "block_choice")
fault("analyze/structure/hypersparse.cpp", "only the tallest blocks say how much room they need",
      "longest = std::max(longest, longest_group(matrix, height));", "longest = longest_group(matrix, height);", "hypersparse")

# ---- analyze/recommend ----

fault("analyze/recommend/field.cpp", "what takes just what it may is left out", "cost.bytes > request_.memory",
      "cost.bytes >= request_.memory", "field")
fault("analyze/recommend/verdict.cpp", "what takes just what it may does not win",
      "w.all_bytes() <= wanted.memory) all.push_back", "w.all_bytes() < wanted.memory) all.push_back", "verdict")
fault("analyze/recommend/verdict.cpp", "the limit of memory forgets what kernels prepare",
      "w.all_bytes() <= wanted.memory) all.push_back", "w.bytes <= wanted.memory) all.push_back", "verdict")
fault("analyze/recommend/verdict.cpp", "two copies that take just what they may are none",
      "pair.all_bytes() <= wanted.memory ? pair", "pair.all_bytes() < wanted.memory ? pair", "verdict")
fault("analyze/recommend/verdict.cpp", "the limit of memory forgets what kernels of two copies prepare",
      "pair.all_bytes() <= wanted.memory ? pair", "pair.bytes <= wanted.memory ? pair", "verdict")
fault("analyze/recommend/race.cpp", "nothing is tried again with wide offsets",
      "if (sizeof(Offset) == 8 || problem.quantity() != \"offsets\") throw;", "if (sizeof(Offset) > 0) throw;", "race")
fault("analyze/recommend/contest.cpp", "a kernel runs once before it is compared",
      "for (int i = 0; i < 2 || (i < 5 && least < short_seconds); ++i) {",
      "for (int i = 1; i < 2 || (i < 1 && least < short_seconds); ++i) {", "race")
fault("analyze/recommend/contest.cpp", "the first run counts",
      "if (i > 0) least = std::min(least, seconds_now() - start);", "least = std::min(least, seconds_now() - start);\n    if (i == 1) break;",
      "race")
fault("analyze/recommend/field.cpp", "kernels of history take part unasked", "if (k.info.history && !with_history) continue;",
      "if (false && !with_history) continue;",
      "field sprecommend")
fault("analyze/recommend/field.cpp", "kernels of history do not take part where they are named",
      "request_.history || !request_.kernels.empty();", "request_.history;", "field sprecommend")
fault("analyze/recommend/recommend.cpp", "an exhaustive run leaves kernels of history out", "asked.history = request.exhaustive;", "",
      "sprecommend")
fault("analyze/recommend/model.cpp", "the vectors cost nothing", "p.vectors * read,", "0 * read,", "field")
fault("analyze/recommend/model.cpp", "y is no part of the vectors", "p.vectors = (p.inputs + p.outputs) * matrix.value_bytes;",
      "p.vectors = p.inputs * matrix.value_bytes;", "field")
fault("analyze/recommend/model.cpp", "what does not fit half of the cache is cold",
      "resident <= 0.5 * cache ? 1 : std::max(0.0, 1.5 - resident / cache)", "resident <= 0.5 * cache ? 1 : 0.0", "field")
fault("analyze/recommend/contest.cpp", "what the run before left is not poisoned",
      "    poison(one.op);\n    take(one, samples, warm_up_seconds);", "    take(one, samples, warm_up_seconds);", "race")
fault("analyze/recommend/contest.cpp", "what timed runs left is not compared",
      "    line.wrong = compared.wrong;\n    line.error = std::max(line.error, compared.error);", "    line.error = compared.error;",
      "race")
fault("analyze/recommend/contest.cpp", "loading code is part of preparing",
      "(void)one.prepare(op);  // the first time pays for loading code\n", "", "race")
fault("analyze/recommend/contest.cpp", "the slowest of the vendor's is the baseline", "if (seconds >= fastest) continue;",
      "if (seconds < fastest && !name.empty()) continue;", "race")
fault("analyze/recommend/race.cpp", "the first conversion counts", "if (seconds.size() > 1) seconds.erase(seconds.begin());",
      "", "race")
fault("analyze/recommend/race.cpp", "making the vectors is no part of the time", "rest.seconds -= request.clock() - begin;", "",
      "race")
fault("analyze/recommend/recommend.cpp", "one more than the first few races", "if (place >= static_cast<std::size_t>(top)",
      "if (place > static_cast<std::size_t>(top)", "field")
fault("analyze/recommend/recommend.cpp", "a pattern that is symmetric is enough",
      "features.symmetry.values == features.symmetry.off_diagonal", "features.symmetry.pattern == features.symmetry.off_diagonal",
      "field")
fault("analyze/recommend/recommend.cpp", "an analysis that takes long leaves no time for CSR alone",
      "if (late) asked.formats = {format_kind::csr};", "", "field")
fault("analyze/recommend/recommend.cpp", "the largest budget of a GPU is that of a CPU", "std::min(2 + 0.5 * millions, 15.0)",
      "std::min(2 + 0.5 * millions, 120.0)", "field")
fault("analyze/recommend/noise.cpp", "what a thread waited before counts",
      "waited - (known == before.waited.end() ? 0 : known->second)", "waited", "noise")
fault("analyze/recommend/noise.cpp", "few samples have a spread", "t.samples >= least_samples && t.median >= long_enough",
      "t.median >= long_enough", "noise")
fault("analyze/recommend/noise.cpp", "a clock that was held down once is told", "10 * seen->second > looks_",
      "seen->second > 0", "noise")
fault("analyze/recommend/noise.cpp", "the line of all CPUs together counts as one of them",
      "if (!line.starts_with(\"cpu\") || line.find_first_not_of(\"0123456789\", 3) == 3) continue;",
      "if (!line.starts_with(\"cpu\")) continue;", "noise")
fault("analyze/recommend/noise.cpp", "one turn of another on the core is told of a short time",
      "if (seconds < least_watch_of_launches ||", "if (seconds <= 0 ||", "noise")
fault("analyze/recommend/field.cpp", "a copy of A^T in BSR has the block rows of A",
      "(groups_of(matrix_.cols, side) - groups_of(matrix_.rows, side))",
      "(groups_of(matrix_.cols, side) - groups_of(matrix_.cols, side))", "field")
fault("analyze/recommend/field.cpp", "copies of A^T are made of symmetric matrices",
      "if (request_.symmetric || !request_.formats.empty() ||", "if (!request_.formats.empty() ||", "field recommend_report sprecommend")
fault("tools/common_options.cpp", "a GPU that was asked for is left for the CPU",
      "if (!choice.may_fall_back || !of_the_gpu) return false;", "if (!of_the_gpu) return false;", "device_choice")
fault("tools/common_options.cpp", "auto leaves the GPU for whatever is wrong",
      "if (!choice.may_fall_back || !of_the_gpu) return false;", "if (!choice.may_fall_back) return false;", "device_choice")
fault("tools/common_options.cpp", "auto does not leave a GPU that is full",
      "problem.category() == failure::device || problem.quantity() == \"device\"", "problem.category() == failure::device", "device_choice")
fault("tools/batch/run.cpp", "a device that another has is waited for without end",
      "if (limit > 0 && waited > limit)", "if (false)", "batch_run")
fault("tools/batch/run.cpp", "nobody is told that another has the device",
      "told_of_others_ = true;\n    note(", "told_of_others_ = true;\n    if (false) note(", "batch_run")
fault("tools/batch/inputs.cpp", "a matrix is known by its path as typed",
      "return (problem ? absolute.lexically_normal() : whole).string();", "return text;", "batch_inputs spbatch")
fault("tools/batch/inputs.cpp", "links of a path are not followed",
      "return (problem ? absolute.lexically_normal() : whole).string();", "return absolute.lexically_normal().string();", "batch_inputs spbatch")
fault("analyze/structure/value_features.cpp", "the smallest value is 0 where a zero is stored",
      "if (size > 0 && size < smallest)", "if (size < smallest)", "features")
fault("analyze/structure/value_features.cpp", "squares of large values overflow",
      "std::clamp(-std::ilogb(largest), -1022, 1023)", "0", "features")
fault("analyze/structure/value_features.cpp", "rows without entries are not dominant",
      "dominant + (m.rows - m.listed)", "dominant", "hypersparse")
fault("analyze/structure/value_features.cpp", "a row that ties is strictly dominant",
      "strictly += diagonal > others", "strictly += diagonal >= others", "features")
fault("analyze/structure/maximum_matching.hpp", "what was matched first never gives way",
      "while (matched_ < std::min(m_.rows, m_.cols) && find_distances())", "while (false && find_distances())", "features")
fault("tools/batch/collection_index.cpp", "a matrix of the same name and another size is taken for it",
      "if ((rows >= 0 && rows != m.rows) || (cols >= 0 && cols != m.cols)) continue;", "", "batch_inputs")
fault("tools/batch/collection_index.cpp", "of two groups with one of that name the last is taken",
      "return fitting == 1 ? found : nullptr;", "return found;", "batch_inputs")
fault("tools/batch/collection_index.cpp", "an index that was cut off is taken", "if (announced != static_cast<std::int64_t>(found.size()))",
      "if (false)", "batch_inputs")
fault("tools/batch/inputs.cpp", "the index of a pattern is a matrix", "else if (!is_index(name) && !is_no_file(name))",
      "else if (!is_no_file(name))", "batch_inputs")
fault("tools/spbatch.cpp", "a run that begins anew keeps the index of another", "else if (std::error_code none; request.fresh)", "else if (std::error_code none; false)", "spbatch")
fault("tools/batch/inputs.cpp", "files of a folder that is named twice are counted twice",
      "} else if (first_time && ", "} else if (", "batch_inputs")
fault("tools/batch/inputs.cpp", "a number behind a dot is a kind of file",
      "!all([](unsigned char c) { return std::isdigit(c) != 0; }) &&", "", "batch_inputs")
fault("convert/io/matrix_names.cpp", "AnnData in a folder is passed over", '{".h5ad", false}', '{".npz", false}', "batch_inputs")
fault("analyze/recommend/verdict.cpp", "what the clock cannot tell apart is told apart",
      "behind > (1 + tie_share) * ahead && behind - ahead > clock_seconds", "behind > (1 + tie_share) * ahead", "verdict")
fault("analyze/recommend/orders.cpp", "an order costs nothing", "here.winner.price += r.order_seconds;", "", "orders")
fault("analyze/recommend/orders.cpp", "of a number of products none pays for the order",
      "*figure += r.order_seconds / r.wanted.products;", "*figure += 0;", "orders")
fault("analyze/recommend/orders.cpp", "the clock of the first race alone counts",
      "clock_seconds = std::max(clock_seconds, r.found.clock_seconds);", "clock_seconds = told.front().found.clock_seconds;",
      "orders")
fault("analyze/recommend/orders.cpp", "another order is as good as the one that is there", "return w == stay;", "return bool(w);",
      "orders")
fault("convert/reordering.cpp", "columns of a row in another order are not sorted",
      "std::sort(first, last, [&](Offset a, Offset b) { return column(a) < column(b); });", "", "reordering library_matrix")
fault("tools/library/reorder.cpp", "a matrix in another order is read by its name", "state->can_be_read = false;", "",
      "library_matrix")
fault("tools/library/recommend.cpp", "an order that a shape does not allow is found anyway", "      require_order(*known, rows, cols);\n", "",
      "sprecommend library_matrix")
fault("tools/library/recommend.cpp", "all orders are asked for of every shape", "if (!orders_columns(how) || rows == cols) add(how);",
      "add(how);", "sprecommend library_matrix")
fault("tools/library/recommend.cpp", "an order that is named twice is raced twice",
      "if (std::find(orders.begin(), orders.end(), how) == orders.end()) orders.push_back(how);", "orders.push_back(how);",
      "sprecommend library_matrix")
fault("tools/library/recommend.cpp", "what was interrupted goes on in the next order",
      "    if (options.interrupted && options.interrupted()) break;\n", "", "library_matrix")
fault("tools/library/recommend.cpp", "orders are raced exhaustively", "options.exhaustive && !options.orders.empty()", "false",
      "library_matrix")
fault("tools/library/recommend.cpp", "the text is about one order alone", "return found->in_orders ? text +", "return false ? text +",
      "library_matrix")
fault("analyze/recommend/verdict.hpp", "two products that come together take their mean", "if (one_pass) return asks_for(op) ? 1 : 0;",
      "if (one_pass && !is_plain(op)) return 1;", "verdict recommend_report")
fault("analyze/recommend/verdict.cpp", "one pass over A is no way", "if (wanted.one_pass)\n    for (const contestant_result* k : kernels_for",
      "if (false)\n    for (const contestant_result* k : kernels_for", "verdict recommend_report")
fault("analyze/report/recommend_read.cpp", "two products that came together are read as any mix",
      "if (together == short_name(op)) wanted.one_pass = op;", "if (together == short_name(op)) return wanted;", "recommend_report")
fault("tools/batch/job.cpp", "one pass is the same wish as two products", "if (options.one_pass) told[\"one_pass\"]",
      "if (false) told[\"one_pass\"]", "batch_journal spbatch")
fault("analyze/recommend/verdict.cpp", "preparing one kernel for both products is paid twice",
      "if (op == operation::transposed && k == w.contestant(operation::multiply)) continue;  // prepared once\n", "", "verdict")
fault("analyze/recommend/verdict.cpp", "what costs the same is repaid never", "if (price <= 0) return", "if (price < 0) return",
      "verdict")
fault("analyze/recommend/verdict.cpp", "a busy machine leaves nothing unsettled", "v.unsettled = !found.noisy.empty();", "",
      "verdict")
fault("analyze/recommend/verdict.cpp", "of bytes alike not the simpler is taken",
      "  keep_least(tied, 1, [](const way& w) { return double(properties_of(w.variant().format).complexity); });\n", "", "verdict")
fault("analyze/recommend/causes.cpp", "causes of a tenth of the difference are told", "constexpr double worth_saying = 0.2;",
      "constexpr double worth_saying = 0.02;", "verdict")
fault("analyze/recommend/causes.cpp", "a model that is off by four explains", "explained > 2 * gap", "explained > 4 * gap",
      "verdict")
fault("analyze/recommend/trade_offs.cpp", "who is as fast with more bytes is on the frontier",
      "p.on_frontier = p.taken.seconds < least;", "p.on_frontier = p.taken.seconds <= least;", "trade_offs")
fault("analyze/recommend/trade_offs.cpp", "of those that are ahead from the same product on the slower reigns",
      "from == next.from && w.seconds < next.best->seconds", "from == next.from && w.seconds > next.best->seconds", "trade_offs")
fault("analyze/recommend/standing.cpp", "what the model does not know is predicted",
      "if (found.predicted && k.expected.warm <= 0 && k.expected.cold <= 0)", "if (false)", "recommend_report recommend_page")
fault("analyze/recommend/standing.cpp", "who has no time comes first", "return a.time.seconds > 0;", "return b.time.seconds > 0;",
      "trade_offs")
fault("analyze/recommend/machine_cache.cpp", "rates of another number of threads are taken",
      "there.threads != here.threads || ", "", "machine_cache")
fault("analyze/recommend/machine_cache.cpp", "what others spoiled takes the place of what was measured well",
      "(machine.noisy.empty() || !known_well) && !path.empty()", "!path.empty()", "machine_cache")

fault("analyze/recommend/results.hpp", "every kernel is listed for two products in one pass", "return is_plain(op) || info.computes(op);",
      "return is_plain(op) || info.name != nullptr;", "tournament")
fault("analyze/recommend/model.cpp", "two products in one pass read the arrays twice", "  p.vectors += second.vectors;\n",
      "  p.vectors += second.vectors, p.arrays += second.arrays;\n", "field")
fault("analyze/recommend/model.cpp", "a rest of diagonals starts no kernel", "(cost.rest > 0 ? facts.launches_for_rest : 0)", "0", "field")

# The rules of the tournament, taken out one by one: each under the name of the case of tournament_test.cpp that is about it.
for case, rule, without in [
    ("who is clearly behind after the first samples", "if (ratio > tuning.behind_at_first)\n        leave(",
     "if (false)\n        leave("),
    ("who is behind after the heats leaves", "if (ratio > tuning.behind)",
     "if (false)"),
    ("who led the heats leaves", "    drop_those_behind();\n  }",
     "    remove_those_out();\n  }"),
    ("a first run far beyond the leader", "if (mine.single_seconds > tuning.far_ratio * (leader(op) + tuning.far_seconds))",
     "if (false)"),
    ("a hopeless single run is the last", "    drop_hopeless(runners, line);\n",
     ""),
    ("a hopeless single run is the last", "    drop_hopeless(entered, line);\n",
     ""),
    ("a hopeless single run is the last", "tuning.hopeless_ratio * least + tuning.hopeless_seconds",
     "1.02 * (tuning.hopeless_ratio * least + tuning.hopeless_seconds)"),
    ("a hopeless single run is the last", "k.not_run.empty() && k.wrong.empty() && may_lead(k)",
     "may_lead(k)"),
    ("who may not win makes nobody hopeless", "k.not_run.empty() && k.wrong.empty() && may_lead(k)",
     "k.not_run.empty() && k.wrong.empty()"),
    ("a variant that is expected far behind", "if (one.expected && nearest > tuning.untried_variant && std::isfinite(nearest))",
     "if (false)"),
    ("a kernel that is expected far behind", "expected > tuning.untried_kernel * leader(op)",
     "false"),
    ("a step away from a variant", "if (!(behind <= tuning.worth_varying))",
     "if (false)"),
    ("a step away from a variant", "!(one.expected && nearest_known <= tuning.worth_expecting)",
     "true"),
    ("of one pass nothing is predicted", "!(one.expected && nearest_known <= tuning.worth_expecting)",
     "!(one.expected && nearest <= tuning.worth_expecting)"),
    ("who is left out has its reason", "line.refused = one.left_out;",
     ""),
    ("of two products a contestant stays", "if (ratio > tuning.behind_at_first) ratio = distances()(mine);",
     ""),
    ("bits that differ are not entered", "request_.wanted.repeatable && !info.repeatable(op) && !info.vendor",
     "false"),
    ("bits that differ are not entered", "return !request_.wanted.repeatable || k.info.repeatable(k.op);",
     "return true || k.info.repeatable(k.op);"),
    ("who is wrong or lacks memory is out", "if (!track_.enter(key, mine)) continue;",
     "track_.enter(key, mine);"),
    ("what a variant cannot do is its line", "if (problem.category() == failure::usage || problem.category() == failure::device) throw;",
     ""),
    ("what a variant cannot do is its line", 'refuse(i, "out of memory", line);',
     "throw;"),
    ("the heats leave a fifth of the time", "is_given(variant) && is_over(tuning.heats_share)",
     "is_given(variant) && is_over(1)"),
    ("the heats leave a fifth of the time", "const bool over = is_over(tuning.heats_share, seconds);",
     "const bool over = is_over(1, seconds);"),
    ("samples that would not end in time", "const bool over = is_over(tuning.heats_share, seconds);",
     "const bool over = is_over(tuning.heats_share, 0 * seconds);"),
    ("samples that would not end in time", "return runs_of(samples) * seconds + samples * beside_a_sample_.mean();",
     "return runs_of(samples) * seconds;"),
    ("samples that would not end in time", "const bool is_needed = !std::isfinite(leader(one.key.op));",
     "const bool is_needed = true;"),
    ("who takes as long to check", "entering_.add(now() - before);",
     "entering_.add(0 * (now() - before));"),
    ("who takes as long to check", "heat_is_over(i, !has_entered(entered, op), ",
     "heat_is_over(i, true, "),
    ("conversions that take longer than expected", "      seen_conversions_ += line.convert_seconds;",
     ""),
    ("conversions that take longer than expected", "std::max(1.0, seen_conversions_ / expected_conversions_)",
     "seen_conversions_ / expected_conversions_"),
    ("a round of the final whose baseline", "if (is_over(1, tuning.final_samples * a_baseline_sample_.mean())) return;",
     "if (is_over(1)) return;"),
    ("a conversion that is expected to take the time", "spent() + seconds > tuning.heats_share * request_.seconds",
     "seconds < 0"),
    ("what is there already runs whatever the time", "return is_needed && is_given(request_.field[i].variant) ? result_.interrupted : over;",
     "return is_needed && is_given(request_.field[i].variant) ? over : over;"),
    ("a copy of A^T in CSR is not what is there", "!is_given(variant) && is_over",
     "variant.format != format_kind::csr && is_over"),
    ("an interrupt ends it", "if (is_interrupted()) result_.interrupted = true;",
     ""),
    ("of what memory does not hold the slowest", "while (finalists_.size() > 1 && static_cast<double>(held) > most)",
     "while (false && static_cast<double>(held) > most)"),
    ("of what memory does not hold the slowest", "return distance(result_.variants[a.place]) < distance(",
     "return distance(result_.variants[a.place]) > distance("),
    ("the final ends when what parts the leaders", "if (m.low > 1 + tie_share) continue;",
     ""),
    ("level contestants run until", "if (settled) asked.clear();",
     ""),
    ("level contestants run until", " && k->time.warm.samples >= 3 * tuning.final_samples",
     ""),
    ("noise keeps the leaders in the final", "settled && m.high < 1 + tie_share &&",
     "settled &&"),
    ("who turns out behind in the final", "; !contains(asked, &mine))",
     "; false)"),
    ("a final that runs out of time", "if (is_over(1, sampling_of(line.contestants[one.line], tuning.final_samples))) return;",
     ""),
    ("a long conversion of the winner", "if (!matters ||",
     "if ((false && matters) ||"),
    ("a long conversion of the winner", "line.convert_seconds < tuning.sure_seconds ||",
     ""),
    ("a long conversion of the winner", "if (is_over(1) || spent() + 3 * line.convert_seconds > request_.seconds) continue;",
     ""),
    ("the baseline is sampled every so often", "now() - baseline_at_ > tuning.baseline_every",
     "true"),
    ("what is there already runs whatever the time", "!is_over(tuning.heats_share, tuning.first_samples * a_baseline_sample_.mean())",
     "true"),
    ("the baseline is sampled every so often", "        line.base[static_cast<std::size_t>(k.op)] = k.time;",
     "        continue;"),
    ("where nobody leaves early all samples", "if (!runners.empty()) track_.restart_baselines();",
     ""),
    ("where nobody leaves early all samples", "    track_.release(i);\n  }\n\n  // ---- for a verdict",
     "  }\n\n  // ---- for a verdict"),
    ("where nobody leaves early all samples", "if (request_.variant_done) request_.variant_done(result_);",
     ""),
    ("a kernel that fails between rounds", "if (!one.in || is_interrupted()) continue;",
     "if (is_interrupted()) continue;"),
    ("only what is asked for is entered", "if (variant.asks_for(op)) operations.push_back(op);",
     "if (variant.asks_for(op) || true) operations.push_back(op);"),
]:
    fault("analyze/recommend/tournament.cpp", case + ": without `" + " ".join(rule.split()) + "`", rule, without, "tournament")

# ---- analyze/report ----

fault("analyze/report/csv.cpp", "the upper quartile is the lower one", "json(f.lengths.upper_quartile)",
      "json(f.lengths.lower_quartile)", "report")
fault("analyze/report/csv.cpp", "columns have the lengths of rows", "\"col\", &matrix_features::col_lengths",
      "\"col\", &matrix_features::row_lengths", "report")
fault("analyze/report/csv.cpp", "the upper bandwidth is the lower one", "[](const matrix_features& f) { return f.upper_bandwidth; }",
      "[](const matrix_features& f) { return f.lower_bandwidth; }", "report")
fault("analyze/report/recommend_csv.cpp", "the predicted cold time is the warm one", "return expected(k.expected.cold);",
      "return expected(k.expected.warm);", "recommend_report")
fault("analyze/report/recommend_csv.cpp", "the 90th percentile is the 10th", "csv_number(t.p90 * 1e6)", "csv_number(t.p10 * 1e6)",
      "recommend_report")
fault("analyze/report/recommend_csv.cpp", "preparing is told in seconds", "csv_number(k.prepare_seconds * 1e3)",
      "csv_number(k.prepare_seconds)", "recommend_report")
fault("analyze/report/recommend_csv.cpp", "cold times are the warm ones", "add_times(columns, \"cold\", &regimes::cold);",
      "add_times(columns, \"cold\", &regimes::warm);", "recommend_report")
fault("analyze/report/recommend_json.cpp", "the upper end of an interval is the lower one", "{\"high_us\", micro(t.high)}",
      "{\"high_us\", micro(t.low)}", "recommend_report")
fault("analyze/report/recommend_read.cpp", "atomics that meet are not read back",
      "  rates.contended_atomics = known(of, \"contended_atomics_per_s\");\n", "", "recommend_report")
fault("analyze/report/recommend_read.cpp", "what fewest bytes are preferred for is not read back",
      "  wanted.prefer_bytes = text(of, \"prefer\") == \"bytes\";\n", "", "recommend_report")
fault("analyze/report/highlights.cpp", "a format that is not allowed is the smallest", "return cost.allowed && cost.exact;",
      "return cost.exact;", "report")
fault("analyze/report/highlights.cpp", "a matrix without entries off the diagonal is not symmetric",
      "f.symmetry.off_diagonal == 0 ? 1 : share_of", "share_of", "report")
fault("analyze/report/axis.cpp", "the last but one tick stands in the last one", "at <= extent - (step + 1) / 2",
      "at <= extent - 1", "plots report")
fault("analyze/report/axis.cpp", "labels that touch overlap", "spans[i].first < spans[other].second",
      "spans[i].first <= spans[other].second", "plots report")
fault("analyze/report/text.cpp", "a text that just fits is shortened", "if (display_width(text) <= most) return text;",
      "if (display_width(text) < most) return text;", "report_text")
fault("analyze/report/text.cpp", "an empty word for a shell has no quotes", "if (!word.empty() && std::all_of", "if (std::all_of",
      "report_text recommend_report")

# ---- tools ----

fault("tools/help.cpp", "words beside something else are not told", "{only_prefix, also_prefix}", "{only_prefix}", "shell_bash")
fault("tools/help.cpp", "short names of options are not told", "names.push_back(\"-\" + name);", "static_cast<void>(name);",
      "shell_bash shell_manuals")
fault("tools/shell/completion_and_manuals.py", "a generator's prefix is written twice in bash", "COMPREPLY+=(\"${piece#\"$kept\"}\")",
      "COMPREPLY+=(\"$piece\")", "shell_bash")
fault("tools/shell/completion_and_manuals.py", "a line of a manual page may begin with a dot", "yield \"\\\\&\" + part if part.startswith(\".\") else part",
      "yield part", "shell_manuals")
fault("tools/shell/completion_and_manuals.py", "fish completes the last word of a list alone", "(__fish_append , {words[1:-1]})",
      "{words[1:-1]}", "shell_fish")
fault("tools/sparsmith.cpp", "tools are looked for on PATH alone", "if (!problem && ::access(beside.c_str(), X_OK) == 0) {",
      "if (false) {", "sparsmith_command")
fault("tools/sparsmith.cpp", "a command that does not exist is a failure at run time", "constexpr int usage_status = 2;",
      "constexpr int usage_status = 1;", "sparsmith_command")
fault("tools/sparsmith.cpp", "the last word behind a command is lost", "std::vector<char*> arguments(argv + 1, argv + argc);",
      "std::vector<char*> arguments(argv + 1, argv + std::max(argc - 1, 2));", "sparsmith_command")
fault("tools/option_values.cpp", "K is 1000", "std::pow(1024.0, static_cast<double>(i))", "std::pow(1000.0, static_cast<double>(i))",
      "sprecommend")
fault("tools/command_line.cpp", "output that could not be written is no failure",
      "    if (std::fflush(stdout) != 0) throw error(failure::output, \"standard output: could not write\");\n    return 0;",
      "    std::fflush(stdout);\n    return 0;", "full_output")
fault("tools/spanalyze.cpp", "spanalyze does not look whether its output was written",
      "if (std::fflush(stdout) != 0) throw error(failure::output, \"standard output: could not write\");", "std::fflush(stdout);",
      "full_output")
fault("tools/sprecommend.cpp", "sprecommend goes on where nobody can read",
      "if (request.form == output_form::csv && std::fflush(stdout) != 0)", "if (std::fflush(stdout) != 0 && false)",
      "full_output")
fault("tools/option_values.cpp", "a mix of nothing is taken", "!(weights[0] + weights[1] > 0)", "!(weights[0] + weights[1] >= 0)",
      "sprecommend")
fault("tools/option_values.cpp", "a mix that 64 bits cannot add is taken", "||\n      !std::isfinite(weights[0] + weights[1]))", ")",
      "sprecommend")
fault("tools/option_values.cpp", "half a byte is a limit", "!(bytes >= 1)", "!(bytes >= 0)", "sprecommend")
fault("tools/option_values.cpp", "a tile of side 0 is taken", "if (sides.area() == 0)", "if (false)", "sprecommend spconv")
fault("tools/sprecommend.cpp", "an interrupted run ends as if it were complete", "if (interrupted != 0) return 128 + interrupted;",
      "", "sprecommend")
fault("tools/sprecommend.cpp", "one matrix that fails of several is no failure",
      "ended.complete = false;\n        fmt::print(stderr", "fmt::print(stderr", "sprecommend")
fault("tools/sprecommend.cpp", "a limit of fill below 1 is taken", "if (typed.max_fill) require_max_fill(*typed.max_fill);", "",
      "sprecommend")
fault("tools/files.cpp", "a report may overwrite its matrix", "used.emplace(place(input), called);", "used.emplace(\"\", \"\");",
      "spanalyze sprecommend")
fault("tools/kernel_names.cpp", "kernels of a vendor that is not there are all kernels", "if (names.size() == others)", "if (false)",
      "sprecommend")
fault("tools/batch/journal.cpp", "results are not flushed to the disk", "if (::fdatasync(out_) != 0) undo(errno);", "",
      "batch_journal spbatch")
fault("tools/batch/run.cpp", "the time a worker was stopped counts", "for (worker& one : running_) one.stopped += now - last_pass;",
      "{}", "batch_run")
fault("tools/batch/run.cpp", "a failure is tried again in the same run", "known == nullptr || !known->at_start", "known == nullptr",
      "batch_run")
fault("tools/batch/run.cpp", "copies of a matrix count as known before", "if (done_here_.contains(key)) {", "if (false) {",
      "spbatch")
fault("tools/batch/journal.cpp", "what could not be written stays, torn", "(void)!::ftruncate(out_, before.st_size);", "",
      "batch_journal")

# ---- readers, writers and the batch, told by their texts ----

fault('convert/io/archive.cpp', '`archive_filter_count(handle) > 2` is `archive_filter_count(handle) > 3`',
      'archive_filter_count(handle) > 2',
      'archive_filter_count(handle) > 3', 'spconv')
fault('convert/io/archive.cpp', '`passed_over > most_passed_over` is `passed_over >= most_passed_over`',
      'passed_over > most_passed_over',
      'passed_over >= most_passed_over', 'spconv')
fault('convert/io/binsparse.cpp', '`lower_ ? row < col` is `lower_ ? row <= col`',
      'lower_ ? row < col',
      'lower_ ? row <= col', 'hdf5')
fault('convert/io/binsparse.cpp', '`fill->length == 1` is `fill->length >= 1`',
      'fill->length == 1',
      'fill->length >= 1', 'hdf5')
fault('convert/io/container.cpp', '`+ description_.sizes.size() != slots.size()` is `+ description_.sizes.size() < slots.size()`',
      '+ description_.sizes.size() != slots.size()',
      '+ description_.sizes.size() < slots.size()', 'container')
fault('convert/io/gzip.cpp', '`members_ > 0 && *stream_.next_in == 0` is `members_ > 1 && *stream_.next_in == 0`',
      'members_ > 0 && *stream_.next_in == 0',
      'members_ > 1 && *stream_.next_in == 0', 'gzip')
fault('convert/io/hdf5_description.cpp', '`if (version != container_version)` is `if (version > container_version)`',
      'if (version != container_version)',
      'if (version > container_version)', 'container')
fault('convert/io/hdf5_file.cpp', '`if (elements > most)` is `if (false && elements > most)`',
      'if (elements > most)',
      'if (false && elements > most)', 'hdf5')
fault('convert/io/hdf5_file.cpp', 'links to elsewhere are looked at',
      'if (link->type == H5L_TYPE_HARD && ',
      'if (', 'hdf5')
fault('convert/io/matrix_market.cpp', '`std::min(end, size - 1)` is `std::min(end - 1, size - 1)`',
      'std::min(end, size - 1)',
      'std::min(end - 1, size - 1)', 'matrix_market')
fault('convert/io/matrix_market.cpp', '`is_array() ? 2 : 4` is `is_array() ? 1 : 1`',
      'is_array() ? 2 : 4',
      'is_array() ? 1 : 1', 'matrix_market')
fault('convert/io/matrix_market_diagnosis.cpp', '`most_shown = 40` is `most_shown = 41`',
      'most_shown = 40',
      'most_shown = 41', 'matrix_market')
fault('convert/io/matrix_market_grammar.cpp', "without `&& pos[1] != '-' && pos[1] != '+'`",
      " && pos[1] != '-' && pos[1] != '+'",
      '', 'matrix_market')
fault('convert/io/matrix_market_grammar.cpp', 'without `out.value >= 0x1p63 ||`',
      'out.value >= 0x1p63 || ',
      '', 'matrix_market')
fault('convert/io/matrix_market_grammar.cpp', '`size > std::numeric_limits<std::int32_t>::max()` is `size >= std::numeric_limits<std::int32_t>::max()`',
      'size > std::numeric_limits<std::int32_t>::max()',
      'size >= std::numeric_limits<std::int32_t>::max()', 'matrix_market')
fault('convert/io/matrix_market_grammar.hpp', '`/ 1024 > entries` is `/ 1024 >= entries`',
      '/ 1024 > entries',
      '/ 1024 >= entries', 'matrix_market')
fault('convert/io/npz.cpp', '`if (coords.shape()[0] != 2)` is `if (coords.shape()[0] == 7)`',
      'if (coords.shape()[0] != 2)',
      'if (coords.shape()[0] == 7)', 'npz')
fault('convert/io/npy.cpp', '`header_bytes > 65536` is `header_bytes >= 65536`',
      'header_bytes > 65536',
      'header_bytes >= 65536', 'npz')
fault('convert/io/npy.cpp', '`size_ > 64` is `size_ >= 64`',
      'size_ > 64',
      'size_ >= 64', 'npz')
fault('convert/io/npz_write.cpp', '`63 - (10` is `64 - (10`',
      '63 - (10',
      '64 - (10', 'npz')
fault('convert/io/read.cpp', '`&& has_changed(before, state())` is `&& has_changed(before, before)`',
      '&& has_changed(before, state())',
      '&& has_changed(before, before)', 'system_calls')
fault('convert/io/write.cpp', '`::fsync(descriptor) == 0 ? 0 : errno` is `0`',
      '::fsync(descriptor) == 0 ? 0 : errno',
      '0', 'system_calls')
fault('convert/io/write.cpp', '`SIGUSR1, SIGUSR2, SIGXCPU` is `SIGUSR1, SIGXCPU`',
      'SIGUSR1, SIGUSR2, SIGXCPU',
      'SIGUSR1, SIGXCPU', 'write')
fault('convert/io/write.cpp', '`0666 & ~mask` is `0644 & ~mask`',
      '0666 & ~mask',
      '0644 & ~mask', 'write')
fault('convert/io/zip.cpp', 'without `require_apart();`',
      '  require_apart();\n',
      '', 'npz')
fault('convert/io/zip.cpp', '`largest_expansion = 1032` is `largest_expansion = 1000`',
      'largest_expansion = 1032',
      'largest_expansion = 1000', 'npz')
fault('tools/batch/cluster.cpp', '`count > INT32_MAX` is `count >= INT32_MAX/2`',
      'count > INT32_MAX',
      'count >= INT32_MAX/2', 'cluster')
fault('tools/batch/cluster.cpp', '`(id - first) % step != 0` is `false`',
      '(id - first) % step != 0',
      'false', 'cluster')
fault('tools/batch/cluster.cpp', '`typed.size() >= 4` is `typed.size() >= 5`',
      'typed.size() >= 4',
      'typed.size() >= 5', 'cluster')
fault('tools/batch/device_lease.cpp', '`O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC` is `O_RDONLY | O_DIRECTORY | O_CLOEXEC`',
      'O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC',
      'O_RDONLY | O_DIRECTORY | O_CLOEXEC', 'device_lease')
fault('tools/batch/device_lease.cpp', '`O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK` is `O_RDWR | O_CREAT | O_NONBLOCK`',
      'O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK',
      'O_RDWR | O_CREAT | O_NONBLOCK', 'device_lease')
fault('tools/batch/device_lease.cpp', '`::fstat(place, &status) == 0 && status.st_uid == ::geteui...` is `::fstat(place, &status) == 0 &&`',
      '::fstat(place, &status) == 0 && status.st_uid == ::geteuid() &&',
      '::fstat(place, &status) == 0 &&', 'device_lease')
fault('tools/batch/device_lease.cpp', '`(status.st_mode & 022) == 0; const int` is `true; const int`',
      '(status.st_mode & 022) == 0;\n  const int',
      'true;\n  const int', 'device_lease')
fault('tools/batch/device_lease.cpp', 'without `|| !S_ISREG(status.st_mode)`',
      '|| !S_ISREG(status.st_mode)',
      '', 'device_lease')
fault('tools/batch/inputs.cpp', '`as_text(whole_path(input.path));` is `input.path;`',
      'as_text(whole_path(input.path));',
      'input.path;', 'batch_inputs')
fault('tools/batch/inputs.cpp', '`if (!is_no_file(entries->path().string())) below` is `below`',
      'if (!is_no_file(entries->path().string())) below',
      'below', 'batch_inputs')
fault('tools/batch/inputs.cpp', 'without `if (S_ISSOCK(status.st_mode)) return "a socket";`',
      'if (S_ISSOCK(status.st_mode)) return "a socket";',
      '', 'batch_inputs')
fault('tools/batch/inputs.cpp', '`line.size() > PATH_MAX` is `line.size() >= PATH_MAX`',
      'line.size() > PATH_MAX',
      'line.size() >= PATH_MAX', 'batch_inputs')
fault('tools/batch/inputs.cpp', 'without `!relative.empty() &&`',
      '!relative.empty() && ',
      '', 'batch_inputs')
fault('convert/io/matrix_names.cpp', '`".hdf5"` is `".hdf"`',
      '".hdf5"',
      '".hdf"', 'batch_inputs')
fault('tools/batch/job.cpp', '`options.threads > 0 ? json(options.threads) : json()` is `json()`',
      'options.threads > 0 ? json(options.threads) : json()',
      'json()', 'batch_journal')
fault('tools/batch/journal.cpp', '`catch_up_with(file_); }` is `catch_up(); }`',
      'catch_up_with(file_);\n}',
      'catch_up();\n}', 'batch_journal')
fault('tools/batch/journal.cpp', 'without `if (counts_at(lock_, folder_, index, 1)[0] != counts_[ind...`',
      'if (counts_at(lock_, folder_, index, 1)[0] != counts_[index]) catch_up();',
      '', 'batch_journal batch_run')
fault('tools/batch/journal.cpp', '`if (counted && counts_[index] == before) counts_[index] =...` is `if (counted) counts_[index] = after;`',
      'if (counted && counts_[index] == before) counts_[index] = after;',
      'if (counted) counts_[index] = after;', 'batch_journal')
fault('tools/batch/journal.cpp', '`const held_byte held(out_, folder_, append_place); cut_to...` is `const held_byte held(lock_, folder_, append_place); cut_t...`',
      'const held_byte held(out_, folder_, append_place);\n  cut_torn_line(out_, file_);\n  struct stat',
      'const held_byte held(lock_, folder_, append_place);\n  cut_torn_line(out_, file_);\n  struct stat', 'batch_journal')
fault('tools/batch/journal.cpp', '`started >= started_before` is `started > started_before`',
      'started >= started_before',
      'started > started_before', 'batch_journal')
fault('tools/batch/journal.cpp', 'without `&& !(failed && known->second.ok)`',
      '&& !(failed && known->second.ok)',
      '', 'batch_journal')
fault('tools/batch/journal.cpp', '`(before.failed || !failed))` is `true)`',
      '(before.failed || !failed))',
      'true)', 'batch_journal')
fault('tools/batch/journal.cpp', 'without `|| (!where->failed && !where->whole_path)`',
      '|| (!where->failed && !where->whole_path)',
      '', 'batch_journal')
fault('tools/batch/journal.cpp', '`return path.starts_with(\'/\') || path.starts_with("file:");` is `return false;`',
      'return path.starts_with(\'/\') || path.starts_with("file:");',
      'return false;', 'batch_journal')
fault('tools/batch/process.cpp', '`if (asked) ::kill(-process_, SIGKILL); rusage used{}; whi...` is `rusage used{}; while (::wait4(process_, &report.status, 0...`',
      'if (asked) ::kill(-process_, SIGKILL);\n  rusage used{};\n  while (::wait4(process_, &report.status, 0, &used) < 0 && errno == EINTR) continue;',
      'rusage used{};\n  while (::wait4(process_, &report.status, 0, &used) < 0 && errno == EINTR) continue;\n  ::kill(-process_, SIGKILL);', 'batch_run')
fault('tools/batch/process.cpp', 'without `if (asked) ::kill(-process_, SIGKILL);`',
      'if (asked) ::kill(-process_, SIGKILL);',
      '', 'batch_run')
fault('tools/batch/process.cpp', 'without `limit(process_, RLIMIT_CORE, 0);`',
      'limit(process_, RLIMIT_CORE, 0);',
      '', 'batch_run')
fault('tools/batch/process.cpp', '`std::int64_t{64} << 20` is `std::int64_t{640} << 20`',
      'std::int64_t{64} << 20',
      'std::int64_t{640} << 20', 'batch_run')
fault('tools/batch/process.cpp', '`constexpr std::size_t kept = 2000;` is `constexpr std::size_t kept = 20000;`',
      'constexpr std::size_t kept = 2000;',
      'constexpr std::size_t kept = 20000;', 'batch_run')
fault('tools/batch/process.cpp', '`(resident - shared) * ::sysconf(_SC_PAGESIZE) > memory_` is `(resident - shared) > memory_`',
      '(resident - shared) * ::sysconf(_SC_PAGESIZE) > memory_',
      '(resident - shared) > memory_', 'batch_run')
fault('tools/batch/process.cpp', '`unfinished_.erase(0, start);` is `unfinished_.clear();`',
      'unfinished_.erase(0, start);',
      'unfinished_.clear();', 'batch_run')
fault('tools/batch/run.cpp', '`one.stopped += now - last_pass;` is `one.stopped += 0;`',
      'one.stopped += now - last_pass;',
      'one.stopped += 0;', 'batch_run')
fault('tools/batch/run.cpp', '`if (known == nullptr || !known->at_start) return known;` is `if (known == nullptr) return known;`',
      'if (known == nullptr || !known->at_start) return known;',
      'if (known == nullptr) return known;', 'batch_run')
fault('tools/batch/run.cpp', '`now - started - waited - stopped -` is `now - started - stopped -`',
      'now - started - waited - stopped -',
      'now - started - stopped -', 'batch_run')
fault('tools/batch/run.cpp', '`constexpr double mourning_seconds = 2;` is `constexpr double mourning_seconds = 0;`',
      'constexpr double mourning_seconds = 2;',
      'constexpr double mourning_seconds = 0;', 'batch_run')
fault('tools/batch/run.cpp', '`limit > 0 && waited > limit` is `limit > 0 && waited > 1000 * limit`',
      'limit > 0 && waited > limit',
      'limit > 0 && waited > 1000 * limit', 'batch_run')
fault('tools/batch/run.cpp', 'without `lease_.give_back();`',
      'lease_.give_back();',
      '', 'batch_run')
fault('tools/batch/run.cpp', '`static_cast<int>(running_.size()) < request_.jobs` is `static_cast<int>(running_.size()) <= request_.jobs`',
      'static_cast<int>(running_.size()) < request_.jobs',
      'static_cast<int>(running_.size()) <= request_.jobs', 'batch_run')
fault('tools/batch/run.cpp', 'without `if (!known.ok) ++state_.failed_before;`',
      'if (!known.ok) ++state_.failed_before;',
      '', 'batch_run')
fault('tools/batch/run.cpp', 'without `if (one.settled || !one.overstepped.empty()) return;`',
      'if (one.settled || !one.overstepped.empty()) return;',
      '', 'batch_run')
fault('tools/batch/run.cpp', '`told.is_object() && told.contains("failure")` is `told.is_object()`',
      'told.is_object() && told.contains("failure")',
      'told.is_object()', 'batch_run')
fault('tools/batch/run.cpp', '`if (message.find(on_one_line(one.input->name)) == std::st...` is `if (false)`',
      'if (message.find(on_one_line(one.input->name)) == std::string::npos)',
      'if (false)', 'batch_run')
fault('tools/batch/run.cpp', '`{"waited_s", std::round(one.waited * 1e6) / 1e6}` is `{"waited_s", 0}`',
      '{"waited_s", std::round(one.waited * 1e6) / 1e6}',
      '{"waited_s", 0}', 'batch_run')
fault('tools/batch/spawn.cpp', 'without `sigaddset(&not_for_it, signal);`',
      'sigaddset(&not_for_it, signal);',
      '', 'batch_run')
fault('tools/batch/summary.cpp', '`factor * (1 + 1e-9)` is `factor * (1 - 1e-9)`',
      'factor * (1 + 1e-9)',
      'factor * (1 - 1e-9)', 'batch_summary')
fault('tools/batch/summary.cpp', '`row.entries >= 1` is `row.entries > 1`',
      'row.entries >= 1',
      'row.entries > 1', 'batch_summary')
fault('tools/batch/summary.cpp', '`(row.interrupted || row.out_of_time)` is `row.out_of_time`',
      '(row.interrupted || row.out_of_time)',
      'row.out_of_time', 'batch_summary')

# ---- the package for Python ----

fault("tools/python/sparsmith/gpu.py", "a vector with gaps is taken as it is", "            and array.strides == (dtype.itemsize,)\n", "", "python")
fault("tools/python/sparsmith/gpu.py", "a vector of another GPU is taken as it is", "            and array.data.device_id == 0\n", "", "python")
fault("tools/python/sparsmith/gpu.py", "of one right vector beta is believed without a result", "if out is None and beta == 0:", "if out is None:",
      "python")
fault("tools/python/sparsmith/matrix.py", "rmatvec, which solvers ask for, is the product with A^T", 'return self._product("multiply_adjoint", x)\n',
      'return self._product("multiply_transposed", x)\n', "python")
fault("tools/python/sparsmith/matrix.py", "the adjoint of the adjoint is the conjugate", "not self._transposed, not self._conjugated)",
      "not self._transposed, True)", "python")
fault("tools/python/sparsmith/parts.py", "of complex vectors and a real matrix the imaginary part is lost", "    made.imag = imaginary\n", "", "python")
fault("tools/python/sparsmith/parts.py", "of complex vectors and a real matrix alpha is lost", "if factor.imag != 0:", "if False:", "python")
fault("tools/python/sparsmith/inputs.py", "complex arrays of a GPU are borrowed as real ones", 'bits[2], types[2].kind == "c"', "bits[2], False", "python")
fault("tools/python/bindings.cpp", "one imaginary factor of a real product is left to the library's words", "(alpha.imag() == 0 && beta.imag() == 0)",
      "(alpha.imag() == 0 || beta.imag() == 0)", "python")
fault("tools/library/matrix.cpp", "complex arrays that are borrowed are told to be real", '  if (is_complex<Value>) state->source.field = "complex";\n', "",
      "library_matrix python")
fault("tools/python/sparsmith/results.py", "the advice for one order is followed in another", "if given != self.order:", "if False:", "python")
