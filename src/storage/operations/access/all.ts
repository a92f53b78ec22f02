import { exchangeUsage, saveLoad } from './reports.ts';
import {
  createCode,
  endSignIn,
  endSignIns,
  rotateSignIn,
  signIn,
  touchSignIn,
} from './sign-ins.ts';
import { createTicket, takeTicket } from './tickets.ts';
import { createToken, revokeToken, touchTokens } from './tokens.ts';
import { createUser, updateUser } from './users.ts';

/** The operations on users and credentials that write, by name; see ../all.ts. */
export const ACCESS_OPERATIONS = {
  createUser,
  updateUser,
  createToken,
  revokeToken,
  touchTokens,
  createCode,
  signIn,
  touchSignIn,
  rotateSignIn,
  endSignIn,
  endSignIns,
  createTicket,
  takeTicket,
  exchangeUsage,
  saveLoad,
};
