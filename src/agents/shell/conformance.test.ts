import { driverConformance } from '../conformance/driver.ts';
import { shellSubject } from '../conformance/subjects/shell.ts';

driverConformance(shellSubject);
