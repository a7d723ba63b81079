import { useEffect, useState } from "preact/hooks";

/** The current time, epoch ms, updated every second while something is counted in seconds, else every half minute. */
export function useNow(isLive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(
      () => {
        setNow(Date.now());
      },
      isLive ? 1_000 : 30_000,
    );
    return () => {
      clearInterval(timer);
    };
  }, [isLive]);
  return now;
}
