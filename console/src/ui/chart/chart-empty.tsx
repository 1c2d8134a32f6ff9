/** A message in place of an empty chart, at a third of its height. */
export function EmptyChart({ text, height }: { text: string; height: number }) {
  return (
    <p
      className="flex items-center justify-center text-center text-muted"
      style={{ height: Math.max(72, height / 3) }}
    >
      {text}
    </p>
  );
}
