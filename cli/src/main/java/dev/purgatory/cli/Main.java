package dev.purgatory.cli;

import dev.purgatory.cluster.node.Cleanup;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The entry point of the command line.
 *
 * <p>Exit codes: 0 for success; 1 if the command failed; 2 if its arguments are invalid. Failures
 * print one line with the reason on standard error.
 */
@Command(
    name = "purgatory",
    description = "Holds requests that cannot be answered yet, and answers each exactly once.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    scope = CommandLine.ScopeType.INHERIT,
    subcommands = {
      DemoCommand.class,
      BrokerCommand.class,
      TopCommand.class,
      WatchCommand.class,
      BenchCommand.class,
      CheckCommand.class,
      QualifyCommand.class,
      SoakCommand.class
    })
public final class Main {
  /** For picocli. */
  Main() {}

  /**
   * Runs a command and exits with its exit code.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** Returns the commands, for execution in this process. */
  static CommandLine commandLine() {
    CommandLine commandLine =
        new CommandLine(new Main())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler(Main::wrongUse)
            .setExecutionExceptionHandler(Main::failed);
    commandLine.setExecutionStrategy(parsed -> runOrHelp(commandLine, parsed));
    return commandLine;
  }

  private static int runOrHelp(CommandLine commandLine, ParseResult parsed) {
    boolean noCommand =
        !parsed.hasSubcommand()
            && !parsed.isUsageHelpRequested()
            && !parsed.isVersionHelpRequested();
    if (noCommand) {
      commandLine.usage(commandLine.getErr());
      return CommandLine.ExitCode.USAGE;
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  /** Prints one line instead of picocli's usage help: see {@link IParameterExceptionHandler}. */
  private static int wrongUse(ParameterException exception, String[] args) {
    report(exception.getCommandLine(), exception);
    return CommandLine.ExitCode.USAGE;
  }

  private static int failed(Exception exception, CommandLine commandLine, ParseResult parsed) {
    report(commandLine, exception);
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static void report(CommandLine commandLine, Exception exception) {
    if (Cleanup.isProcessEnding()) {
      return;
    }
    String message = exception.getMessage() == null ? exception.toString() : exception.getMessage();
    PrintWriter err = commandLine.getErr();
    err.println(
        commandLine.getCommandSpec().qualifiedName()
            + ": "
            + message.lines().findFirst().orElse(""));
    err.flush();
  }
}
