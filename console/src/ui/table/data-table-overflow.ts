import { type RefObject, useLayoutEffect, useState } from "react";

/**
 * `useOverflow` says whether the table is wider than its box. Then the box scrolls, with name and
 * actions pinned; otherwise the page scrolls and the header sticks to it. CSS alone cannot switch
 * between the two.
 */
export function useOverflow(box: RefObject<HTMLElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    const table = element?.querySelector("table");
    if (!element || !table) return;
    const measure = () => setOverflows(table.offsetWidth > element.clientWidth + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(table);
    return () => observer.disconnect();
  }, [box]);
  return overflows;
}
