/**
 * Draws the icons of Lucide, in place of the package's own factory, for which the build puts this
 * file. That one joins class names and copies every shape anew at each drawing: it took a sixth of
 * what a page of a list took to draw. Here the shapes are made once, and the sheet has the lines.
 */
import { type ComponentProps, createElement } from "react";

interface IconData {
  name: string;
  node: readonly (readonly [tag: string, attributes: Record<string, string>])[];
}

/** As in the package: what names or describes an icon makes it more than decoration. */
const isTold = (props: object): boolean =>
  Object.keys(props).some(
    (name) => name.startsWith("aria-") || name === "role" || name === "title",
  );

export default function buildIcon({ name, node }: IconData) {
  const shapes = node.map(([tag, attributes]) => createElement(tag, attributes));
  const kind = `line-icon lucide-${name}`;
  return function LineIcon({ className, children, ...rest }: ComponentProps<"svg">) {
    return createElement(
      "svg",
      {
        viewBox: "0 0 24 24",
        width: 24,
        height: 24,
        ...(children === undefined && !isTold(rest) && { "aria-hidden": true }),
        ...rest,
        className: className ? `${kind} ${className}` : kind,
      },
      shapes,
      children,
    );
  };
}
