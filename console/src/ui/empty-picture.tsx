export type EmptyScene = "road" | "list";

/** `scenes` lie behind the open gate: a road without cars, or lines without entries. */
const scenes: Record<EmptyScene, string> = {
  road: "M8 58h104M20 64h12M44 64h12M68 64h12M92 64h8",
  list: "M56 40h52M56 49h36M56 58h44M8 64h104",
};

/**
 * Drawings of empty states: the gate of the mark, open, in hairlines and one line of the accent.
 */
export function EmptyPicture({ scene }: { scene: EmptyScene }) {
  return (
    <svg
      viewBox="0 0 120 72"
      aria-hidden="true"
      fill="none"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="h-full"
    >
      <path d={scenes[scene]} className="stroke-line" />
      <path d="M24 58V38a4 4 0 0 1 4-4h6a4 4 0 0 1 4 4v20M20 58h22" className="stroke-edge" />
      <path d="M31 34 84 12" strokeWidth={4} className="stroke-accent" />
      <path d="m52 25 5-2m8-3 5-2" strokeWidth={4} className="stroke-card" />
    </svg>
  );
}
