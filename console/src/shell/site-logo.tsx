import { type ReactNode, useState } from "react";
import { buildImageUrl } from "../components/texts/image-url.ts";
import { useSession } from "../session.ts";

type SiteLogoProps = { className: string; fallback?: ReactNode };

/** The operator's logo; the fallback without one, and in place of an image that does not load. */
export function SiteLogo({ className, fallback = null }: SiteLogoProps) {
  const { status } = useSession();
  const address = buildImageUrl(status.logo, location.origin);
  const [broken, setBroken] = useState<string>();
  if (address === undefined || address === broken) return fallback;
  return <img src={address} alt="" className={className} onError={() => setBroken(address)} />;
}
