// Writes a matrix so that a reader never sees half of one: into a file beside the target, flushed to disk,
// then renamed. A run that fails or is interrupted leaves nothing behind.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

enum class container { matrix_market, npz, binsparse, sparsmith };

// By the file's extension, in upper or lower case; `-` (standard output) is Matrix Market.
container container_for(const std::string& path);
container container_named(const std::string& name);
const char* name_of(container kind);

// Whether a container can hold a format: Matrix Market any (as entries), npz and Binsparse those they know.
bool can_hold(container kind, format_kind format);

struct output_in_progress;

class output_file {
 public:
  explicit output_file(
      const std::string& path);  // creates the file beside, so that a bad path fails before the work
  output_file(const output_file&) = delete;
  ~output_file();

  const std::string& path() const { return path_; }
  const std::string& temporary_path() const { return temporary_; }
  bool is_standard_output() const { return path_ == "-"; }
  bool is_gzip() const { return gzip_; }  // it was given a name that ends in .gz
  void write(std::string_view content);   // all of it, where no writer below does
  void commit();                          // flush to disk and rename

 private:
  std::string path_;
  std::string temporary_;
  bool gzip_ = false;
  bool committed_ = false;
  output_in_progress* noted_ = nullptr;  // for signal handlers
};

// Removes the temporary files of all outputs in progress when the process is interrupted.
void remove_output_on_signals();

// For whoever ends the process without exit: may be called from handlers. No output can be made afterwards.
void remove_partial_outputs();

// Matrix Market takes COO only: the caller has converted. It keeps of the kind that the matrix came as what
// it still is, and is packed where the file's name says gzip.
template <class Offset, class Value>
void write_matrix(output_file& file, container kind, const any_format<Offset, Value, host>& matrix,
                  const matrix_kind& source, const progress_callback& progress = {});

}  // namespace sparsmith
