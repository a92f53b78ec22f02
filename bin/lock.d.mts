export declare function withLock(
  file: string,
  options: { waiting: () => void; run: () => Promise<void> },
): Promise<void>;
