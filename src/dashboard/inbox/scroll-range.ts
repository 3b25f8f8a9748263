/** Firefox, which has the lowest limit, can't scroll over an element of more than about 17,000,000 px. */
const MAX_HEIGHT_PX = 12_000_000;
/** At both ends of a higher list, a pixel is a pixel: so its first and last rows are reached like those of any list. */
const END_PX = 1_000_000;
/** So far the scroll bar may be from where it belongs, except near the ends. */
export const MAX_DRIFT_PX = END_PX / 10;
/** Who scrolls with a wheel, a finger or keys goes at most so far at once; who drags the scroll bar goes further. */
export const MAX_STEP_PX = 2_000;

/** How the place in a list, in pixels, and the scroll position belong together. */
export type ScrollRange = {
  /** Of the element that is scrolled over. */
  height: number;
  /** By how much a place and its scroll position differ at the end; 0 where they are the same. */
  excess: number;
  toPlace(scrollTop: number): number;
  toScrollTop(place: number): number;
};

/** For a list of which all rows together have a height: between the ends, the scroll bar goes faster where that is needed. */
export function scrollRangeOf(whole: number): ScrollRange {
  const height = Math.min(whole, MAX_HEIGHT_PX);
  const excess = whole - height;
  const middle = height - 2 * END_PX;
  return {
    height,
    excess,
    toPlace(scrollTop) {
      if (excess === 0 || scrollTop <= END_PX) return scrollTop;
      if (scrollTop >= height - END_PX) return scrollTop + excess;
      return scrollTop + (excess * (scrollTop - END_PX)) / middle;
    },
    toScrollTop(place) {
      if (excess === 0 || place <= END_PX) return place;
      if (place >= whole - END_PX) return place - excess;
      return END_PX + ((place - END_PX) * middle) / (middle + excess);
    },
  };
}
