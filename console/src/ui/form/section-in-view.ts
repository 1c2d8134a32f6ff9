import { useEffect, useState } from "react";

/** The header covers the top of the window; a section is read from a third of the window on. */
const readLine = 0.35;

/** `useSectionInView` names the section that is being read or filled in. */
export function useSectionInView(ids: readonly string[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  const joined = ids.join(" ");
  useEffect(() => {
    const look = () => setCurrent(findSectionInView(joined.split(" ")));
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    addEventListener("focusin", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
      removeEventListener("focusin", look);
    };
  }, [joined]);
  return current;
}

/**
 * The section with the focus, while what has it is in sight: the last sections of a page never
 * reach the top of the window. Else the last one that begins above the line.
 */
function findSectionInView(ids: readonly string[]): string | undefined {
  const sections = ids.flatMap((id) => document.getElementById(id) ?? []);
  const active = document.activeElement;
  const focused = sections.find((section) => section.contains(active));
  const focusTop = active?.getBoundingClientRect().top ?? -1;
  if (focused !== undefined && focusTop >= 0 && focusTop < innerHeight) return focused.id;
  const begun = sections.findLast(
    (section) => section.getBoundingClientRect().top < innerHeight * readLine,
  );
  return (begun ?? sections[0])?.id;
}
