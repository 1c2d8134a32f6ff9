import clsx from "clsx";

/** The default logo: the arm of a toll gate. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="currentColor"
      aria-hidden="true"
      className={clsx("shrink-0", className ?? "size-6")}
    >
      <path d="M3.5 10.500a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1V20h1.250a.75.75 0 0 1 .75.75v.500a.75.75 0 0 1-.75.75h-8.500a.75.75 0 0 1-.75-.75v-.500a.75.75 0 0 1 .75-.75H3.500z" />
      <path d="M3.900 7.100 21.200 1.300a1 1 0 0 1 1.270.630l.310.950a1 1 0 0 1-.630 1.270L9.300 8.450H4.500a.700.700 0 0 1-.600-1.350z" />
    </svg>
  );
}
