/**
 * Splits a stream into messages (program.ts): a length of four bytes, a line, and bytes. Returns the
 * function that receives the pieces of the stream.
 */
export function messagesIn(
  onMessage: (line: string, bytes: Buffer) => void,
): (piece: Buffer) => void {
  let partial: Buffer | null = null;
  return (piece) => {
    let rest = partial === null ? piece : Buffer.concat([partial, piece]);
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readUInt32BE();
      if (rest.length < end) break;
      const lineEnd = rest.indexOf(NEWLINE, LENGTH_BYTES);
      onMessage(rest.toString("latin1", LENGTH_BYTES, lineEnd), rest.subarray(lineEnd + 1, end));
      rest = rest.subarray(end);
    }
    partial = rest.length > 0 ? rest : null;
  };
}

const LENGTH_BYTES = 4;
const NEWLINE = 10;
