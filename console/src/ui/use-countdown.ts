import { useEffect, useState } from "react";

/** Counts down from `seconds` to 0; restarts when `seconds` changes. */
export function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const until = performance.now() + seconds * 1_000;
    const tick = () => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1_000)));
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}
