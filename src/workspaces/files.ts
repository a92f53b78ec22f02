/**
 * A path below a folder. Names are bytes: a string stands for its UTF-8 encoding and a Buffer for
 * any bytes, so the paths that `list` returns can be used as they are.
 */
export type FilePath = string | Buffer;

/**
 * The files below one folder (A11). Nothing outside the folder can be read or changed: not through
 * an absolute path, `..` or a link, nor through a folder that is replaced by a link at the wrong
 * moment. A link is never followed, even to another place below the folder; `stat`, `list`, `write`
 * and `remove` see the link itself.
 */
export interface Files {
  /** Rejects if the file is larger than the limit; never reads more, and never waits for a pipe. */
  read(path: FilePath, maxBytes: number): Promise<Buffer>;
  /**
   * Creates a file, or replaces a file or link, completely or not at all. Also creates missing
   * folders (0700). Rejects if the path is a folder.
   */
  write(path: FilePath, content: Buffer | string, options?: { mode?: number }): Promise<void>;
  /** Lists a folder in no particular order; `truncated` if it has more entries than `max`. */
  list(path: FilePath, max?: number): Promise<Listing>;
  /** Null if it does not exist. */
  stat(path: FilePath): Promise<FileStats | null>;
  /** Removes a file, a link or a folder with its contents. The path need not exist. */
  remove(path: FilePath): Promise<void>;
}

export type FileKind = 'file' | 'folder' | 'link' | 'other';

export interface Entry {
  /** The name for display and comparison; invalid UTF-8 becomes U+FFFD. */
  readonly name: string;
  /** A path relative to the same folder as the path that was listed. */
  readonly path: Buffer;
  readonly kind: FileKind;
}

export interface Listing {
  readonly entries: readonly Entry[];
  readonly truncated: boolean;
}

export interface FileStats {
  readonly kind: FileKind;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  /** In milliseconds. */
  readonly modifiedAt: number;
}

/** Says why a path cannot be used. All other errors come from the system and have its code. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly reason: 'missing' | 'outside' | 'not_a_file' | 'not_a_folder' | 'too_large';

  constructor(reason: FileError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
