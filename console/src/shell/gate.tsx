import { useSession } from "../session.ts";

const arm = { start: 26, end: 226, y: 72 };
const stripes = [0, 1, 2, 3, 4].map((place) => arm.start + 24 + place * 40);
const lifted = "-18deg";

/**
 * The gate at the door, as a drawing: its arm is down for visitors, and lifts for who has signed
 * in.
 */
export function Gate({ width }: { width: number | string }) {
  const { user } = useSession();
  return (
    <svg
      viewBox="0 0 240 112"
      style={{ width }}
      aria-hidden="true"
      fill="currentColor"
      className="shrink-0 text-accent"
    >
      <path d="M0 108h240" stroke="var(--edge)" strokeWidth={2} />
      <path d="M216 80h6v28h-6z" fill="var(--edge)" />
      <g
        style={{
          transformOrigin: `${arm.start}px ${arm.y}px`,
          rotate: user === null ? undefined : lifted,
          transition: "rotate 150ms",
        }}
      >
        <rect x={6} y={arm.y - 7} width={24} height={14} rx={3} />
        <rect x={arm.start} y={arm.y - 5} width={arm.end - arm.start} height={10} rx={5} />
        <path
          d={stripes.map((x) => `M${x} ${arm.y - 5}h16l-6 10h-16z`).join("")}
          fill="var(--page)"
        />
      </g>
      <rect x={14} y={60} width={24} height={48} rx={4} />
      <circle cx={arm.start} cy={arm.y} r={4} fill="var(--page)" />
    </svg>
  );
}
