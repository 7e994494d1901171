/* SPDX-License-Identifier: Apache-2.0 */
/* no_memory: how the process ends when RocksDB gets no memory, or no thread.
 *
 * RocksDB is C++. It throws then, on whatever thread, and its C API lets the exception out, so the
 * C++ runtime would end the process by abort(). Nothing in C can catch it, but the runtime calls a
 * handler first. This one says what happened and ends the process with exit code 1, as a kill
 * would: everything that was finished is safe, and the next start goes on. */
#ifndef STORE_NO_MEMORY_H
#define STORE_NO_MEMORY_H

/* Sets the handler, once for the process. Any thread. */
void no_memory_watch(void);

#endif
