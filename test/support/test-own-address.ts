import type { AddressInfo } from 'node:net';
import { OwnAddress } from '../../src/delivery/webhooks/own-address.ts';
import { BASE_URL, PAGES_DOMAIN } from './test-service.ts';

/** The own address of a service with the tests' host names that listens here, or does not listen. */
export const ownAddress = (listening?: AddressInfo) =>
  new OwnAddress({
    baseUrl: new URL(BASE_URL),
    pagesUrl: new URL(`http://a-page.${PAGES_DOMAIN}`),
    servesPageAt: () => false,
    listening: () => listening,
  });
