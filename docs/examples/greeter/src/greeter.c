/* Greets whoever is named on the command line, with a phrase for each. */
#include <stdio.h>
#include <string.h>

#ifndef PHRASES
#define PHRASES "/usr/share/greeter/phrases"
#endif

int main(int argc, char **argv)
{
	char phrase[256];
	FILE *phrases = fopen(PHRASES, "r");

	if (phrases == NULL) {
		perror(PHRASES);
		return 1;
	}
	for (int at = 1; at < argc || at == 1; at++) {
		if (fgets(phrase, sizeof phrase, phrases) == NULL) {
			rewind(phrases);
			if (fgets(phrase, sizeof phrase, phrases) == NULL)
				return 1;
		}
		phrase[strcspn(phrase, "\n")] = '\0';
		printf("%s, %s!\n", phrase, at < argc ? argv[at] : "world");
	}
	fclose(phrases);
	return 0;
}
