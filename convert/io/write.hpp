// Writes a matrix so that a reader never sees half of one: into a file beside the target, flushed to disk,
// then renamed. A run that fails or is interrupted leaves nothing behind.
#pragma once

#include <iosfwd>
#include <string>

#include "convert/io/entries.hpp"

namespace sparsmith {

enum class container { matrix_market, npz, binsparse, sparsmith };

// By the file's extension; `-` (standard output) is Matrix Market.
container container_for(const std::string& path);
container container_named(const std::string& name);
const char* name_of(container kind);

// Whether a container can hold a format: Matrix Market any (as entries), npz and Binsparse those they know.
bool can_hold(container kind, format_kind format);

class output_file {
 public:
  explicit output_file(
      const std::string& path);  // creates the file beside, so that a bad path fails before the work
  output_file(const output_file&) = delete;
  ~output_file();

  const std::string& path() const { return path_; }
  const std::string& temporary_path() const { return temporary_; }
  bool is_standard_output() const { return path_ == "-"; }
  void commit();  // flush to disk and rename

 private:
  std::string path_;
  std::string temporary_;
  bool committed_ = false;
};

// Removes the temporary file of an output in progress when the process is interrupted.
void remove_output_on_signals();

// `pattern` writes a Matrix Market file without values. Matrix Market takes COO only: the caller has
// converted.
template <class Offset, class Value>
void write_matrix(output_file& file, container kind, const any_format<Offset, Value, host>& matrix,
                  bool pattern, const progress_callback& progress = {});

}  // namespace sparsmith
