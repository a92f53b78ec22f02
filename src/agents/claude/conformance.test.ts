import { driverConformance } from '../conformance/driver.ts';
import { claudeSubject } from '../conformance/subjects/claude.ts';

driverConformance(claudeSubject);
